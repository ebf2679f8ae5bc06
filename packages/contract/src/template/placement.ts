import Type, { type Static } from 'typebox';
import { mapOf, strict } from './notation.ts';

/** Labels of nodes as Docker writes them, without a part that an engine could read as an expression. */
const nodeLabel = '^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$';
const NodeLabel = Type.String({
  pattern: nodeLabel,
  description: 'Name of a label of nodes.',
  examples: ['zone'],
});

export const Placement = strict(
  {
    constraints: Type.Optional(
      mapOf(
        NodeLabel,
        Type.String({
          pattern: '^[A-Za-z0-9._-]{1,63}$',
          maxLength: 63,
          description: 'Value that the label must have.',
        }),
        {
          maxProperties: 16,
          description: 'Labels that a node must have to run it.',
          examples: [{ disk: 'ssd' }],
        },
      ),
    ),
    spread: Type.Optional(
      Type.String({
        pattern: nodeLabel,
        maxLength: 63,
        description: 'Label over whose values the replicas are spread evenly, such as zone.',
        examples: ['zone'],
      }),
    ),
  },
  { description: 'Which nodes of a cluster run it. An ordinary server has one node and ignores this.' },
);
export type Placement = Static<typeof Placement>;

export const OnNodeLoss = Type.Enum(['restore', 'wait'], {
  description:
    'What happens to a component that is pinned to a node of a cluster by its volume when that node is lost. restore: it comes back on another node from its last verified backup; wait (the usual): it waits for the node.',
});
export type OnNodeLoss = Static<typeof OnNodeLoss>;
