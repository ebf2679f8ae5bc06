/** Every id is a prefix, an underscore and 26 time-sortable characters, so that an id shows the kind of its record. */
export const idPrefixes = {
  template: 'tpl',
  templateTest: 'tst',
  definition: 'def',
  deployment: 'dep',
  instance: 'ins',
  execution: 'exe',
  server: 'srv',
  registry: 'reg',
  tenant: 'ten',
  webhook: 'whe',
  delivery: 'dlv',
  event: 'evt',
  recipe: 'rcp',
  config: 'cfg',
  upgrade: 'upg',
  backup: 'bkp',
  key: 'key',
  user: 'usr',
  account: 'acc',
  invite: 'inv',
  session: 'ses',
  migration: 'mig',
  transfer: 'trf',
  import: 'imp',
  channel: 'chn',
  rule: 'rul',
  alert: 'alt',
  notification: 'ntf',
  shell: 'shl',
  job: 'job',
} as const;

export type IdKind = keyof typeof idPrefixes;

export const idPattern = (kind: IdKind): string => `^${idPrefixes[kind]}_[0-9a-z]{26}$`;
