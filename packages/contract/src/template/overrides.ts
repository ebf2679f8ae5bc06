import Type, { type Static } from 'typebox';
import { ComponentName, mapOf, strict } from './notation.ts';
import { OnNodeLoss, Placement } from './placement.ts';

/** What a definition may set of a component instead of its template: how many containers there are, and where. */
export const ComponentOverride = strict(
  {
    replicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Number of containers.' })),
    placement: Type.Optional(Placement),
    on_node_loss: Type.Optional(OnNodeLoss),
  },
  { title: 'ComponentOverride', minProperties: 1 },
);
export type ComponentOverride = Static<typeof ComponentOverride>;

export const Overrides = mapOf(ComponentName, ComponentOverride, {
  maxProperties: 50,
  description: 'What it sets instead of its template, by component.',
});
/** As answers show them: a newer service may add fields. */
export const ShownOverrides = Type.Record(
  Type.String(),
  Type.Object(
    {
      replicas: Type.Optional(Type.Integer()),
      placement: Type.Optional(
        Type.Object({
          constraints: Type.Optional(Type.Record(Type.String(), Type.String())),
          spread: Type.Optional(Type.String()),
        }),
      ),
      on_node_loss: Type.Optional(OnNodeLoss),
    },
    { title: 'ShownOverride' },
  ),
  { description: 'What it sets instead of its template, by component.' },
);

export type Overrides = Readonly<Record<string, ComponentOverride>>;
