/** The chapters of the reference, in reading order. Every tag of a row is one of these. */
export const tagMeanings: Readonly<Record<string, string>> = {
  health: 'Is the service alive?',
  templates: 'What can be deployed: each template is one species at one version.',
  catalog: 'The same templates, arranged on shelves.',
  taxonomy: 'Kingdoms, families and species.',
  definitions: 'A template, its inputs and a server, kept as numbered revisions so that it can be deployed.',
  deployments: 'Putting a revision of a definition onto its server, step by step, with a log.',
  instances: 'What runs: the containers of a definition.',
  actions: 'Things to do on a running instance, and how each went.',
  servers: 'The machines that run instances, each by a daemon of its own.',
  registries: 'Where images come from, where signing in is needed.',
  webhooks: 'Where events are sent, and how each delivery went.',
  events: 'The audit list: everything that happened, in order.',
  account: 'Who is calling.',
  keys: 'API keys: what programs sign in with.',
  vault: 'The encryption of secrets.',
};
