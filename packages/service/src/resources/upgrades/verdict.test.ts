import { upgradeMachine } from '@hortus/contract/machines/upgrade';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verdictOn } from './verdict.ts';

const template = fc.constantFrom('tpl_1', 'tpl_2', 'tpl_3');
const known = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('upg_1', 'upg_2', 'upg_3'),
    status: fc.constantFrom(...upgradeMachine.states),
    from_template_id: template,
    to_template_id: template,
  }),
  { selector: ({ id }) => id },
);

it('a scan leaves at most one valid upgrade open, and is idempotent', () => {
  fc.assert(
    fc.property(template, fc.option(template, { nil: undefined }), known, (running, newest, before) => {
      fc.pre(running !== newest);
      const first = verdictOn(running, newest, before);
      const rest = before.filter(({ id }) => !first.superseded.includes(id));
      const found = {
        id: 'new',
        status: 'available' as const,
        from_template_id: running,
        to_template_id: newest ?? '',
      };
      const after = first.found ? [...rest, found] : rest;
      const open = after.filter(({ status }) => status === 'available' || status === 'acknowledged');
      for (const item of open) expect([item.from_template_id, item.to_template_id]).toEqual([running, newest]);
      expect(first.available && open.length === 0).toBe(false);
      expect(verdictOn(running, newest, after)).toEqual({ ...first, superseded: [], found: false });
      // Upgrades that were decided or are being applied stay.
      for (const item of before)
        if (!['available', 'acknowledged'].includes(item.status)) expect(first.superseded).not.toContain(item.id);
    }),
  );
});
