import Type, { type Static } from 'typebox';

const blocks = (description: string) => Type.Integer({ minimum: 0, maximum: 2 ** 28, description });

/** The address pool of a server's networks. Every instance needs a network; one with one or two components needs one block. */
export const NetworkUsage = Type.Object(
  {
    pool: Type.Array(Type.String({ maxLength: 18 }), {
      maxItems: 64,
      description: 'Address ranges from which subnets are taken, IPv4 in CIDR notation.',
    }),
    total: blocks('Blocks of 16 addresses in the pool.'),
    used: blocks('Blocks in use by networks, addresses or routes of the server.'),
    free: blocks('Blocks that are free for further networks.'),
  },
  { title: 'NetworkUsage' },
);
export type NetworkUsage = Static<typeof NetworkUsage>;
