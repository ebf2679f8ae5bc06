import { forgeSettings } from '@hortus/contract/forge-settings';
import { type Forge, forges, type GardenMode } from '@hortus/contract/resources/garden-source-records';
import type { ReactNode } from 'react';
import { CheckField } from '../../parts/check-field.tsx';
import { Field } from '../../parts/field.tsx';
import { SelectField } from '../../parts/select-field.tsx';

/** What a person types about a repository. */
export interface TypedSource {
  readonly url: string;
  readonly branch: string;
  readonly path: string;
  readonly mode: GardenMode;
  readonly provider: Forge | '';
  readonly interval: string;
  readonly prune: boolean;
  readonly username: string;
  readonly token: string;
}

/** Fields that the service may name in a refusal. */
export const sourceFieldNames = [
  'url',
  'branch',
  'path',
  'mode',
  'provider',
  'interval',
  'credentials.username',
  'credentials.token',
  'credentials',
];

const MODES = [
  { value: 'propose', label: 'Wait for an approval' },
  { value: 'apply', label: 'Apply it at once' },
];
const INTERVALS: Readonly<Record<string, string>> = {
  '60': 'every minute',
  '300': 'every 5 minutes',
  '900': 'every 15 minutes',
  '3600': 'every hour',
  '86400': 'every day',
};

/** Fields of the form, in the order of the questions: where, how to get in, what, and when. */
export function SourceFields({
  typed,
  onChange,
  about,
  tokenNote,
  children,
}: {
  typed: TypedSource;
  onChange: (typed: TypedSource) => void;
  about: (field: string) => string | undefined;
  tokenNote: string;
  /** Further fields of the form. */
  children?: ReactNode;
}) {
  const set = (changed: Partial<TypedSource>) => onChange({ ...typed, ...changed });
  const { provider } = typed;
  const plain = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <Field
        label="Repository"
        type="url"
        autoFocus
        required
        maxLength={2048}
        {...plain}
        placeholder="https://git.example.org/ada/home.git"
        value={typed.url}
        onChange={(url) => set({ url })}
        problem={about('url')}
        help="An https address, as for git clone."
      />
      <div className="pair">
        <Field
          label="Branch"
          required
          maxLength={255}
          {...plain}
          value={typed.branch}
          onChange={(branch) => set({ branch })}
          problem={about('branch')}
        />
        <Field
          label="File"
          required
          maxLength={512}
          {...plain}
          value={typed.path}
          onChange={(path) => set({ path })}
          problem={about('path')}
        />
      </div>
      <div className="pair">
        <Field
          label="Access token"
          note={tokenNote}
          type="password"
          maxLength={4096}
          {...plain}
          value={typed.token}
          onChange={(token) => set({ token })}
          problem={about('credentials.token') ?? about('credentials')}
          help={provider === '' ? 'To read the repository and to report states.' : `${forgeSettings[provider].token}.`}
        />
        <Field
          label="User name"
          note="optional"
          maxLength={255}
          {...plain}
          value={typed.username}
          onChange={(username) => set({ username })}
          problem={about('credentials.username')}
          help="Most forges need none beside a token."
        />
      </div>
      <div className="pair">
        <SelectField
          label="Forge"
          value={provider}
          choices={[
            { value: '', label: 'By the address' },
            ...forges.map((value) => ({ value, label: forgeSettings[value].name })),
          ]}
          onChange={(value) => set({ provider: value as Forge | '' })}
          problem={about('provider')}
        />
        <SelectField
          label="Read it"
          value={typed.interval}
          choices={choicesWith(typed.interval).map(([value, label]) => ({ value, label }))}
          onChange={(interval) => set({ interval })}
          problem={about('interval')}
        />
      </div>
      <SelectField
        label="A new commit"
        value={typed.mode}
        choices={MODES}
        onChange={(mode) => set({ mode: mode as GardenMode })}
        problem={about('mode')}
        help={typed.mode === 'apply' ? 'It is applied with your permissions at that moment.' : undefined}
      />
      {children}
      <CheckField
        label="Archive or remove what left the file"
        help="Only what this garden made."
        checked={typed.prune}
        onChange={(prune) => set({ prune })}
      />
    </>
  );
}

/** The usual intervals, and the stored one if it is another. */
function choicesWith(interval: string): [string, string][] {
  const known = Object.hasOwn(INTERVALS, interval);
  const all = known ? INTERVALS : { ...INTERVALS, [interval]: `every ${interval} seconds` };
  return Object.entries(all);
}

/** The credentials of a request; undefined if no token was typed. */
export const credentialsOf = ({ token, username }: TypedSource) =>
  token === '' ? undefined : { token, ...(username !== '' && { username }) };
