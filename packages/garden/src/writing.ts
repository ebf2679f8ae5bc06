import { standardBackup } from '@hortus/contract/resources/backup-settings';
import { Document, type Node } from 'yaml';
import type { FieldValue, PresentItem } from './items.ts';

type Written = Record<string, unknown>;

/** Values that need not be written, because they are those of an omitted field. */
const standard: Readonly<Record<PresentItem['kind'], Readonly<Record<string, FieldValue>>>> = {
  template: {},
  registry: {},
  channel: { status: 'active' },
  rule: { status: 'active' },
  webhook: { status: 'active' },
  definition: {
    profile: 'development',
    heal: false,
    watch_seconds: 60,
    ...Object.fromEntries(Object.entries(standardBackup).map(([name, value]) => [`backup.${name}`, value])),
  },
};

const sections = {
  definition: 'definitions',
  registry: 'registries',
  webhook: 'webhooks',
  channel: 'channels',
  rule: 'rules',
} as const;

const HEADER = ` Written by hortus export garden. Secrets are left out: their stored values are kept.
 To set one, add it as \${env.NAME} or \${file:path}.`;

/** Writes the text of a garden that describes these items. Applying it changes nothing. */
export function writeGarden(name: string, items: readonly PresentItem[]): string {
  const garden: Written = { name };
  for (const [kind, section] of Object.entries(sections)) {
    const own = items.filter((item) => item.kind === kind).sort((a, b) => (a.key < b.key ? -1 : 1));
    if (own.length > 0) garden[section] = Object.fromEntries(own.map((item) => [item.key, fieldsOf(item)]));
  }
  const document = new Document(garden);
  document.commentBefore = HEADER;
  for (const item of items) {
    const kept = Object.keys(item.secrets).sort();
    if (item.kind === 'template' || kept.length === 0) continue;
    const node = document.getIn([sections[item.kind], item.key], true) as Node | undefined;
    if (node) node.commentBefore = ` kept: ${kept.join(', ')}`;
  }
  return document.toString({ lineWidth: 120 });
}

/** Nests fields such as `inputs.TITLE`, and leaves out those with their standard value. */
function fieldsOf({ kind, key, fields }: PresentItem): Written {
  const written: Written = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === null || isStandard(kind, key, field, value)) continue;
    const dot = field.indexOf('.');
    if (dot === -1) written[field] = value;
    else {
      const group = field.slice(0, dot);
      const inside = (written[group] ?? {}) as Written;
      inside[field.slice(dot + 1)] = value;
      written[group] = inside;
    }
  }
  return written;
}

function isStandard(kind: PresentItem['kind'], key: string, field: string, value: FieldValue): boolean {
  if (kind === 'definition' && field === 'name') return value === key;
  // The version follows from upgrades, not from the file.
  if (kind === 'definition' && field === 'version') return true;
  if (kind === 'rule' && field === 'channels') return Array.isArray(value) && value.length === 0;
  return standard[kind][field] === value;
}
