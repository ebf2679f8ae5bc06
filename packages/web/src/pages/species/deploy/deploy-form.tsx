import { ApiProblem } from '@hortus/client/problem';
import type { DefinitionCreate } from '@hortus/contract/resources/definitions';
import { AUTO_SERVER } from '@hortus/contract/resources/placement-records';
import type { SavedConfig } from '@hortus/contract/resources/saved-configs';
import type { Template } from '@hortus/contract/resources/templates';
import type { Tenant } from '@hortus/contract/resources/tenants';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { fieldProblem, problemText } from '../../../api/problem.ts';
import { useApi } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/field.tsx';
import { sentenceCase } from '../../../parts/status.tsx';
import { bindingsOf, type Chosen, NeedPicks } from '../../connections/need-pick.tsx';
import { useInputCheck } from './input-check.ts';
import { InputGroups } from './input-groups.tsx';
import { useDeploy } from './order.ts';
import { Plan } from './plan.tsx';
import { usePreview } from './preview.ts';
import { applying, type Entered, inputsOf, nameFrom, type Question, questionsOf } from './questions.ts';
import { SaveConfig, StartFrom } from './saved-configs.tsx';
import { bestServer, ServerPick } from './server-pick.tsx';
import { SizePick } from './size-pick.tsx';
import { TenantPick } from './tenant-pick.tsx';

/** The short form that deploys a species: its inputs, a name, a server, and the plan beside them. */
export function DeployForm({ template, spec }: { template: Template; spec: Canonical }) {
  const form = useRef<HTMLFormElement>(null);
  const servers = useApi('overview.read').data?.data.servers;
  const [entered, setEntered] = useState<Entered>({});
  const [ownName, setOwnName] = useState<string>();
  const [ownServer, setOwnServer] = useState<string>();
  const [tenant, setTenant] = useState('');
  const [ownProfile, setOwnProfile] = useState<string>();
  const [variant, setVariant] = useState(template.taxonomy.variant ?? undefined);
  const [insist, setInsist] = useState(false);
  const [config, setConfig] = useState<SavedConfig>();
  const [chosen, setChosen] = useState<Chosen>({});

  const questions = questionsOf(spec);
  const inputs = inputsOf(questions, entered);
  const isPlaced = ownServer === AUTO_SERVER;
  // Stands for the server that the service will choose, until the plan names that.
  const server = servers?.find(({ id }) => id === ownServer) ?? bestServer(servers ?? []);
  const name = ownName ?? suggestedName(template.species, questions, entered);
  const checked = useInputCheck(spec, inputs, { uid: name, domain: server?.apps_domain ?? null });
  const wrong = withoutHeld(checked.wrong, inputs, config);
  // Follows the environment of the server until a person chooses.
  const profile = ownProfile ?? (server?.environment === 'production' ? 'production' : 'development');
  const nameWrong = wrongName(name);
  const isComplete = wrong.size === 0 && nameWrong === undefined && server !== undefined;
  const bindings = bindingsOf(spec.needs, chosen);
  const choices = { name, profile, inputs, variant, tenant, config, bindings };
  const body = isComplete ? definitionOf(template, isPlaced ? AUTO_SERVER : server.id, choices) : undefined;
  const preview = usePreview(body);
  const placed = isPlaced ? servers?.find(({ id }) => id === preview.plan?.placement?.server_id) : server;
  const { deploy, busy, errorOf } = useDeploy();
  const error = errorOf(body);

  const said = fieldProblem(error) ?? fieldProblem(preview.error);
  const about = (field: string) => (said?.field === field ? `${sentenceCase(said.text)}` : undefined);
  const rest = [...new Set([error, preview.error].flatMap((item) => (isElsewhere(item) ? [problemText(item)] : [])))];

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!body) {
      setInsist(true);
      // After the messages are there.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    await deploy(body);
  }
  const byKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit();
  };
  /** The instances of a tenant share its server. */
  function belongTo(chosen: Tenant | undefined) {
    setTenant(chosen?.id ?? '');
    if (chosen) setOwnServer(chosen.server_id);
  }
  function startFrom(chosen: SavedConfig | undefined) {
    setConfig(chosen);
    setEntered(enteredFrom(chosen));
    if (chosen?.profile) setOwnProfile(chosen.profile);
    if (chosen?.variant) setVariant(chosen.variant);
  }
  const shown = applying(questions, entered).map((question) => withHost(question, checked.hosts[question.name]));
  return (
    <form ref={form} className="sheet deploy-form" noValidate onSubmit={submit} onKeyDown={byKey} aria-label="Deploy">
      <div className="mb-[18px] flex h-8 items-center justify-between gap-4">
        <h2>Deploy</h2>
        <StartFrom species={template.species} value={config?.id} onChoose={startFrom} />
      </div>
      <InputGroups
        questions={shown}
        entered={entered}
        wrong={(input) => about(`inputs.${input}`) ?? wrong.get(input)}
        insist={insist || said !== undefined}
        onChange={(input, value) => setEntered((before) => ({ ...before, [input]: value }))}
      >
        <Field
          label="Name"
          note="cannot change later"
          name="instance_uid"
          autoComplete="off"
          spellCheck={false}
          required
          value={name}
          onChange={setOwnName}
          check={wrongName}
          problem={about('instance_uid') ?? (insist ? nameWrong : undefined)}
        />
      </InputGroups>
      <TenantPick value={tenant} problem={about('tenant_id')} onChange={belongTo} />
      <ServerPick servers={servers} value={isPlaced ? AUTO_SERVER : server?.id} onChange={setOwnServer} />
      <NeedPicks needs={spec.needs} serverId={server?.id} chosen={chosen} about={about} onChange={setChosen} />
      <SizePick
        spec={spec}
        profile={profile}
        variant={variant}
        onChangeProfile={setOwnProfile}
        onChangeVariant={setVariant}
      />
      <Plan
        plan={preview.plan}
        isStale={preview.plan !== undefined && preview.isStale}
        uid={name}
        server={placed}
        lines={linesOf(spec)}
      >
        {missing(isComplete, wrong, questions)}
      </Plan>
      <Problems texts={rest} />
      <Buttons
        name={name}
        busy={busy}
        onForce={lacksRoom(error) && body && (() => void deploy(body, { ignore_capacity: true }))}
      >
        <SaveConfig config={{ species: template.species, profile, inputs, ...(variant && { variant }) }} />
      </Buttons>
    </form>
  );
}

interface DeployChoices extends Pick<DefinitionCreate, 'inputs' | 'profile'> {
  name: string;
  variant: string | undefined;
  /** Empty without a tenant. */
  tenant: string;
  config: SavedConfig | undefined;
  bindings: NonNullable<DefinitionCreate['bindings']>;
}

const definitionOf = (template: Template, serverId: string, chosen: DeployChoices): DefinitionCreate => ({
  template_id: template.id,
  instance_uid: chosen.name,
  name: chosen.name,
  server_id: serverId,
  profile: chosen.profile,
  inputs: chosen.inputs,
  ...(chosen.variant && { variant: chosen.variant }),
  ...(chosen.tenant && { tenant_id: chosen.tenant }),
  ...(chosen.config && { saved_config_id: chosen.config.id }),
  ...(Object.keys(chosen.bindings).length > 0 && { bindings: chosen.bindings }),
});

const Problems = ({ texts }: { texts: readonly string[] }) => (
  <div aria-live="polite">
    {texts.map((text) => (
      <p key={text} className="notice bad" role="alert">
        {text}
      </p>
    ))}
  </div>
);

interface ButtonsProps {
  name: string;
  busy: boolean;
  /** Deploys although the server lacks room for it; offered after the service refused for that reason. */
  onForce: (() => void) | false | undefined;
  children: ReactNode;
}

function Buttons({ name, busy, onForce, children }: ButtonsProps) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button kind="primary" type="submit" busy={busy} className="h-10! px-[18px]!">
        Deploy {name}
      </Button>
      {onForce && (
        <Button kind="danger" onClick={onForce}>
          Deploy without the room
        </Button>
      )}
      {children}
      <kbd className="ml-auto max-phone:hidden">{/Mac/.test(navigator.platform) ? '⌘ ↵' : 'Ctrl ↵'}</kbd>
    </div>
  );
}

/** A host that the service chooses need not be entered; the field shows it. */
const withHost = (question: Question, host: string | undefined): Question =>
  host === undefined ? question : { ...question, placeholder: host, filled: true };

/** Lines of the plan: the network, volumes, components, routes and permissions. */
function linesOf({ components, routes, permissions }: Canonical): number {
  const volumes = new Set(Object.values(components).flatMap(({ storage }) => storage.map(({ name }) => name)));
  return 1 + volumes.size + Object.keys(components).length + routes.length + permissions.length;
}

/** Passwords that the saved config holds need not be entered again. */
function withoutHeld(
  wrong: ReadonlyMap<string, string>,
  inputs: object,
  config: SavedConfig | undefined,
): ReadonlyMap<string, string> {
  const held = config?.secret_inputs.filter(({ name, has_value }) => has_value && !Object.hasOwn(inputs, name)) ?? [];
  return new Map([...wrong].filter(([name]) => !held.some((item) => item.name === name)));
}

const enteredFrom = (config: SavedConfig | undefined): Entered =>
  Object.fromEntries(
    Object.entries(config?.inputs ?? {}).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? value : String(value),
    ]),
  );

/** Problems of a field that the form shows stand there; the others stand above the button. */
function isElsewhere(error: unknown): boolean {
  if (error === undefined) return false;
  const field = fieldProblem(error)?.field;
  return field === undefined || !(field === 'instance_uid' || /^(inputs|bindings|needs)\./.test(field));
}

const lacksRoom = (error: unknown): boolean => error instanceof ApiProblem && error.details.reason === 'capacity';

function suggestedName(species: string, questions: ReturnType<typeof questionsOf>, entered: Entered): string {
  const address = questions.find(({ type }) => type === 'domain');
  const typed = address && entered[address.name];
  return (typeof typed === 'string' && nameFrom(typed)) || species;
}

/** Rules of `instance_uid`; the service has the last word. */
function wrongName(name: string): string | undefined {
  if (name === '') return 'Is required.';
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name) ? undefined : 'Letters, digits, _ and -, at most 63.';
}

function missing(
  isComplete: boolean,
  wrong: ReadonlyMap<string, string>,
  questions: ReturnType<typeof questionsOf>,
): string {
  if (isComplete) return 'Planning…';
  const labels = questions.filter(({ name }) => wrong.has(name)).map(({ label, name }) => label ?? name);
  return labels.length === 0
    ? 'The plan appears here.'
    : `The plan appears here once these are right: ${labels.join(', ')}.`;
}
