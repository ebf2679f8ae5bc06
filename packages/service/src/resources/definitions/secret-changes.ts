import type { ChangedSecrets, RevealedSecret } from '@hortus/contract/resources/vault';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { isSecretInput } from '@hortus/template/inputs/inputs';
import { generateSecrets } from '@hortus/template/secrets/secrets';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Catalog } from '../templates/public.ts';
import { secretValues } from './deployable.ts';
import { definitionLifecycle } from './lifecycle.ts';
import { secretRecord } from './record.ts';
import { revisionColumns } from './revise.ts';
import { keepGenerated } from './secrets.ts';
import type { Definitions } from './service.ts';
import { type CurrentRow, findDefinition, insertRevision, listSecrets, lockDefinition } from './store.ts';

export interface SecretChangesDeps {
  readonly definitions: Definitions;
  readonly reader: Queries;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, 'known'>;
}

/** Identifies a secret of a definition. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** What an audit event says about an access. */
interface Accessed {
  readonly id: string;
  readonly revision: number;
  readonly names: readonly string[];
}

/** Values generated before the transaction; `seenRevision` detects changes since. */
interface Rotation {
  readonly id: string;
  readonly seenRevision: number;
  readonly spec: Canonical;
  readonly values: Readonly<Record<string, string>>;
}

/** Sets, rotates and reveals secrets. Each change creates a revision, so that it is deployed and shows in the history. */
export class SecretChanges {
  readonly #deps: SecretChangesDeps;
  constructor(deps: SecretChangesDeps) {
    this.#deps = deps;
  }

  async set(tx: Tx, principal: Principal, { id, name }: Named, value: string): Promise<ChangedSecrets> {
    const { spec } = await this.#find(tx, principal, id);
    if (Object.hasOwn(spec.secrets, name) && !spec.secrets[name]?.external)
      throw conflict('name', 'generated', `${name} is generated; rotate it instead.`);
    if (!isSecretInput(spec, name)) throw notFound('secret');
    const { current_revision } = await this.#deps.definitions.update(tx, principal, id, { inputs: { [name]: value } });
    return this.#changed(tx, principal, 'audit.secret_set', { id, revision: current_revision, names: [name] });
  }

  /** Generates the values outside the transaction, because creating a key pair is slow. */
  async prepareRotation(principal: Principal, { id, name }: Named): Promise<Rotation> {
    const { reader, vault } = this.#deps;
    const { row, spec } = await this.#find(reader, principal, id);
    const held = await secretValues(reader, vault, { accountId: row.account_id, definitionId: id });
    if (!held.some((secret) => secret.name === name)) throw notFound('secret');
    const secret = spec.secrets[name];
    if (!secret?.generate || secret.external)
      throw invalid('name', `${name} is not generated on its own; set it, or rotate the secret it is derived from.`);
    const renewed = new Set([name, ...signedWith(spec, name)]);
    const existing = Object.fromEntries(
      held.filter((value) => !renewed.has(value.name)).map((value) => [value.name, value.value]),
    );
    const values = await generateSecrets(spec, { existing });
    return { id, seenRevision: row.last_revision, spec, values };
  }

  async rotate(tx: Tx, principal: Principal, { id, seenRevision, spec, values }: Rotation): Promise<ChangedSecrets> {
    const locked = await lockDefinition(tx, principal.accountId, id);
    const current = await findDefinition(tx, principal.accountId, id);
    if (!locked || !current) throw notFound('definition');
    if (current.last_revision !== seenRevision)
      throw conflict('id', 'stale', 'the definition changed during the rotation; try again.');
    const names = Object.keys(values);
    const number = current.last_revision + 1;
    const revised = await transition(tx, definitionLifecycle, current, 'revise', {
      actor: actorOf(principal),
      set: { current_revision: number, last_revision: number },
    });
    await insertRevision(tx, {
      spec_hash: current.spec_hash,
      profile: current.profile,
      variant: current.variant,
      inputs: current.inputs,
      secret_inputs: current.secret_inputs,
      bindings: current.bindings,
      overrides: current.overrides,
      changed_secrets: JSON.stringify(names),
      ...revisionColumns(tx, principal, revised),
    });
    await keepGenerated(tx, this.#deps.vault, { accountId: current.account_id, definitionId: id }, spec, values);
    return this.#changed(tx, principal, 'audit.secret_rotated', { id, revision: number, names });
  }

  /** Shows a generated value, and records it in the same transaction: no value leaves without a trace. */
  async reveal(tx: Tx, principal: Principal, { id, name }: Named): Promise<RevealedSecret> {
    const { row } = await this.#find(tx, principal, id);
    const held = await secretValues(tx, this.#deps.vault, { accountId: row.account_id, definitionId: id });
    const secret = held.find((value) => value.name === name);
    if (secret === undefined) throw notFound('secret');
    if (secret.kind !== 'generated')
      throw conflict('name', 'given', `${name} was given by a user and is not shown; set it again if it is lost.`);
    await this.#record(tx, principal, 'audit.secret_revealed', { id, revision: row.current_revision, names: [name] });
    return { name, value: secret.value };
  }

  async #changed(
    tx: Tx,
    principal: Principal,
    type: 'audit.secret_set' | 'audit.secret_rotated',
    accessed: Accessed,
  ): Promise<ChangedSecrets> {
    const { id, revision, names } = accessed;
    await this.#record(tx, principal, type, accessed);
    const secrets = (await listSecrets(tx, id)).filter(({ name }) => names.includes(name)).map(secretRecord);
    return { definition_id: id, revision, secrets };
  }

  #record(
    tx: Tx,
    principal: Principal,
    type: `audit.secret_${string}`,
    { id, revision, names }: Accessed,
  ): Promise<void> {
    return append(tx, {
      type,
      accountId: principal.accountId,
      resourceType: 'definition',
      resourceId: id,
      actor: actorOf(principal),
      data: { definition_id: id, revision, secrets: names },
    });
  }

  async #find(queries: Queries, principal: Principal, id: string): Promise<{ row: CurrentRow; spec: Canonical }> {
    const row = await findDefinition(queries, principal.accountId, id);
    if (!row) throw notFound('definition');
    return { row, spec: this.#deps.catalog.known(row.template_id).spec };
  }
}

/** Finds the tokens that a new key invalidates, including those signed with such tokens. */
function signedWith(spec: Canonical, key: string): string[] {
  const tokens = Object.entries(spec.secrets).filter(([, secret]) => secret.signed_with === key);
  return tokens.flatMap(([name]) => [name, ...(name === key ? [] : signedWith(spec, name))]);
}
