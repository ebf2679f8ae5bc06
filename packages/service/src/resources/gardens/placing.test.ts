import type { GardenDefinition } from '@hortus/garden/format';
import { describe, expect, it } from 'vitest';
import { type Places, Placing } from './placing.ts';
import type { PresentDefinition } from './present-definitions.ts';

const server = (name: string, trusted: boolean) => ({ id: `srv_${name}`, name, status: 'online', trusted, labels: {} });
const places: Places = {
  mayName: true,
  servers: [server('honest', true), server('lure', false)],
  tenants: [{ id: 'ten_1', name: 'Shop', slug: 'shop', server_id: 'srv_lure' }],
};
const on = (server_id: string) => new Map([['blog', { row: { server_id } } as PresentDefinition]]);

function placed(definition: Partial<GardenDefinition>, present = new Map<string, PresentDefinition>(), of = places) {
  const problems: string[] = [];
  const report = (field: string, message: string) => void problems.push(`${field}: ${message}`);
  const place = new Placing(of, present).of('blog', { species: 'blog', ...definition }, report);
  return { server: place?.server, problems };
}

describe('a server that is not trusted', () => {
  const refused = (field: string) => ({
    server: undefined,
    problems: [expect.stringMatching(new RegExp(`^${field}: its server is not trusted \\(lure\\); rotate the key`))],
  });

  it('does not keep a definition that a placement would leave there', () => {
    expect(placed({ placement: {} }, on('srv_lure'))).toEqual(refused('placement'));
    expect(placed({ placement: { servers: ['lure'] } }, on('srv_lure'))).toEqual(refused('placement'));
    expect(placed({ placement: {} }, on('srv_honest'))).toEqual({ server: 'honest', problems: [] });
  });

  it('is not chosen by way of a tenant', () => {
    expect(placed({ tenant: 'shop' })).toEqual(refused('tenant'));
    expect(placed({ tenant: 'shop', placement: {} }, on('srv_lure'))).toEqual(refused('placement'));
  });

  it('is used if the file names it as server', () => {
    expect(placed({ server: 'lure' })).toEqual({ server: 'lure', problems: [] });
    expect(placed({ server: 'lure' }, on('srv_lure'))).toEqual({ server: 'lure', problems: [] });
    expect(placed({ tenant: 'shop', server: 'lure' })).toEqual({ server: 'lure', problems: [] });
  });

  it('is not named to callers that may not read servers', () => {
    const { problems } = placed({ placement: {} }, on('srv_lure'), { ...places, mayName: false });
    expect(problems.join()).not.toContain('lure');
  });
});
