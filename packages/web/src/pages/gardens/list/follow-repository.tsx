import type { FollowedGarden } from '@hortus/contract/resources/garden-sources';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { credentialsOf, SourceFields, sourceFieldNames, type TypedSource } from '../source-fields.tsx';
import { WebhookSettings } from '../webhook-settings.tsx';

const FIRST: TypedSource = {
  url: '',
  branch: 'main',
  path: 'garden.yaml',
  mode: 'propose',
  provider: '',
  interval: '300',
  prune: false,
  username: '',
  token: '',
};

/** Lets the service follow a repository, then shows what to enter at the forge. */
export function FollowRepository({ onClose }: { onClose: (followed?: FollowedGarden) => void }) {
  const [typed, setTyped] = useState(FIRST);
  const [name, setName] = useState('');
  const [followed, setFollowed] = useState<FollowedGarden>();
  const follow = useOrder('gardens.follow');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const { url, branch, path, mode, provider, interval, prune } = typed;
    const credentials = credentialsOf(typed);
    const body = {
      ...{ url, branch, path, mode, prune, interval: Number(interval) },
      ...(name && { name }),
      ...(provider && { provider }),
      ...(credentials && { credentials }),
    };
    setFollowed((await follow.mutateAsync({ body })).data);
  }, [...sourceFieldNames, 'name']);
  if (followed)
    return (
      <WebhookSettings
        title={`${followed.name} is followed`}
        provider={followed.source?.provider ?? null}
        webhook={followed.webhook}
        onStored={() => onClose(followed)}
      />
    );
  return (
    <Dialog title="Follow a repository" onClose={() => onClose()}>
      <form onSubmit={submit}>
        <h2>Follow a repository</h2>
        <p className="mb-5 text-ink-2">
          The service reads a garden from it, plans each commit, and reports the result to the forge.
        </p>
        <SourceFields typed={typed} onChange={setTyped} about={about} tokenNote="for a private repository">
          <Field
            label="Name"
            note="optional"
            maxLength={63}
            autoComplete="off"
            spellCheck={false}
            placeholder={nameOf(typed.url)}
            value={name}
            onChange={setName}
            problem={about('name')}
            help="The file must have the same name."
          />
        </SourceFields>
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={() => onClose()}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!URL.canParse(typed.url)}>
            Follow
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The name that the service gives by default. */
const nameOf = (url: string): string =>
  URL.parse(url)
    ?.pathname.split('/')
    .filter(Boolean)
    .at(-1)
    ?.replace(/\.git$/, '') ?? '';
