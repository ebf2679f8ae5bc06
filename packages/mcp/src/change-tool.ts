import Type, { type Static, type TObject } from 'typebox';
import { planHash } from './plan-hash.ts';
import { bounded, MAX_RESULT_LENGTH, paragraphs } from './text/bounded.ts';
import type { Danger, Outcome, Tool, ToolContext } from './tool.ts';

export interface Plan {
  /** What would happen, for the model and the person behind it. */
  readonly text: string;
  /**
   * What the plan depends on; the hash is refused when this has changed. Carrying the plan out changes it, so that a hash is good
   * for one change.
   */
  readonly state: unknown;
  /** Set if a person must confirm it. */
  readonly danger?: Danger | undefined;
  /** `once` is the idempotency key of its order: two calls at the same time order it once. */
  carryOut(once: string): Promise<string>;
}

const hashField = {
  plan_hash: Type.Optional(
    Type.String({ maxLength: 128, description: 'Hash of the plan to carry out. Without it, only the plan is shown.' }),
  ),
};

/**
 * Defines a tool that changes something. The first call returns the plan and its hash; the change is made only by a second call
 * with that hash, while the plan is still the same.
 */
export const changeTool = <Input extends TObject>(row: {
  name: string;
  title: string;
  description: string;
  kind?: 'change' | 'danger';
  destructive?: boolean;
  input: Input;
  plan(context: ToolContext, args: Static<Input>): Promise<Plan>;
}): Tool => ({
  name: row.name,
  title: row.title,
  description: `${row.description} Returns a plan and its plan_hash first; call again with the same arguments and that plan_hash to carry it out.`,
  kind: row.kind ?? 'change',
  destructive: row.destructive ?? row.kind === 'danger',
  input: Type.Object({ ...row.input.properties, ...hashField }, { additionalProperties: false }),
  async run(context, { plan_hash, ...args }) {
    const plan = await row.plan(context, args as Static<Input>);
    const hash = planHash(row.name, args, plan.state);
    if (plan_hash === undefined) return { text: shown(row.name, plan, hash, 'Nothing was changed.') };
    if (plan_hash !== hash) {
      const why = 'plan_hash: is not the hash of this plan: the arguments differ, or the state has changed since.';
      return { text: shown(row.name, plan, hash, `${why} Nothing was changed.`), failed: true };
    }
    if (plan.danger) return confirmed(context, plan, plan.danger, hash);
    return { text: await plan.carryOut(onceFor(hash)) };
  },
});

const MAX_PLAN_LENGTH = MAX_RESULT_LENGTH - 2_000;

const onceFor = (hash: string) => `mcp-${hash}`;

const shown = (tool: string, { text, danger }: Plan, hash: string, outcome: string): string =>
  paragraphs(
    // Shorter than a result, whose end would be cut: the hash stands there.
    `Plan: ${bounded(text, MAX_PLAN_LENGTH)}`,
    `plan_hash: ${hash}`,
    `${outcome} To carry out the plan, call ${tool} again with the same arguments and this plan_hash.${
      danger ? ' A person must then confirm it; you cannot.' : ''
    }`,
  );

/** Lets the person decide: in the client, if it can show a question, otherwise in the console. */
async function confirmed(context: ToolContext, plan: Plan, danger: Danger, hash: string): Promise<Outcome> {
  const reply = await context.person.confirmationOf(hash);
  if (reply === 'confirmed') return { text: await plan.carryOut(onceFor(hash)) };
  if (reply === 'declined') return { text: 'The person declined. Nothing was changed.', failed: true };
  if (context.person.canBeAsked) return { ask: danger, planHash: hash };
  const { data } = await context.service.call('confirmations.create', { body: danger.call });
  return {
    text: [
      `Waiting for confirmation ${data.id}. Nothing was changed yet.`,
      `Ask the person to open ${data.url}, or to run: hortus confirm ${data.id}`,
      `Hortus carries it out when the person confirms, until ${data.expires_at}. Read the outcome with show_progress and this id.`,
    ].join('\n'),
  };
}
