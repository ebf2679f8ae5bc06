import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { Component } from '@hortus/contract/template/component';
import type { Input } from '@hortus/contract/template/inputs';
import { RESERVED_SLUGS, type Template } from '@hortus/contract/template/schema';
import type { Secret } from '@hortus/contract/template/secrets';
import { isFloating, parseImage } from '../../notation/image-reference.ts';
import type { Header } from './header.ts';
import { magicOf } from './magic.ts';
import { dashed } from './names.ts';
import { criticalVolumes, readProfiles } from './profiles.ts';
import type { Reading } from './reading.ts';

export interface Identity {
  name?: string;
  slug?: string;
}

/** Writes the template around the components: identity, inputs, secrets, routes and permissions. */
export function writeTemplate(
  reading: Reading,
  services: Record<string, unknown>,
  components: Record<string, Component>,
  header: Header,
  identity: Identity,
): Template {
  const routes = reading.routes
    .all()
    .filter(({ route }) => components[route.component ?? '']?.kind !== 'job')
    .map(({ route, at }) => {
      reading.notes.infer(at, `the route ${route.name} leads to port ${route.port} of ${route.component}`);
      return route;
    });
  const profiles = readProfiles(reading, services, components, routes);
  const { vars } = reading.texts;
  const used = referencesIn([components, routes, vars, profiles, reading.permissions]);
  const { required, optional } = questions(reading, used);
  const secrets = secretsOf(reading, used);
  const volumes = criticalVolumes(components);
  return {
    ...identityOf(reading, components, header, identity),
    ...(required.length + optional.length > 0
      ? { inputs: { ...(required.length > 0 ? { required } : {}), ...(optional.length > 0 ? { optional } : {}) } }
      : {}),
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
    ...(Object.keys(vars).length > 0 ? { vars } : {}),
    ...(routes.length > 0 ? { routes } : {}),
    components,
    ...(Object.keys(profiles).length > 0 ? { profiles } : {}),
    ...(reading.permissions.length > 0 ? { permissions: reading.permissions } : {}),
    ...(volumes.length > 0 ? { backup: { strategy: 'volume', volumes, schedule_hint: 'daily' } } : {}),
  };
}

function identityOf(reading: Reading, components: Record<string, Component>, header: Header, identity: Identity) {
  const declared =
    identity.name ??
    (typeof reading.root.name === 'string' && !reading.root.name.includes('$') ? reading.root.name : undefined);
  const [first = 'app'] = Object.keys(components);
  const wanted = identity.slug ?? withoutTrailing(dashed(declared ?? first, 'app').slice(0, 63), '-');
  const slug = (RESERVED_SLUGS as readonly string[]).includes(wanted) ? `${wanted}-app` : wanted;
  const services = Object.values(components).filter(({ kind }) => kind !== 'job');
  const version = appVersion(services[0]);
  return {
    slug,
    name: (declared ?? slug).slice(0, 200) || slug,
    ...(header.description === undefined ? {} : { description: header.description }),
    version: '0.1.0',
    ...(version === undefined ? {} : { app_version: version }),
    archetype: services.length > 1 ? 'multi_component_saas' : 'application',
    taxonomy: {
      kingdom: 'applications',
      family: header.category || 'imported',
      ...(header.tags.length > 0 ? { tags: header.tags } : {}),
    },
    ...(header.documentation === undefined ? {} : { links: { documentation: header.documentation } }),
  } as const;
}

function appVersion(component: Component | undefined): string | undefined {
  if (typeof component?.image !== 'string' || component.image.includes('${')) return undefined;
  const image = parseImage(component.image);
  return image.tag === undefined || isFloating(image) ? undefined : image.tag;
}

/** Collects the names of all `${inputs.…}` and `${secrets.…}` references in these values. */
function referencesIn(values: readonly unknown[]): Set<string> {
  const found = JSON.stringify(values).matchAll(/\$\{\s*(inputs|secrets)\.([A-Za-z0-9_]+)/g);
  return new Set([...found].map(([, kind, name]) => `${kind}.${name}`));
}

function questions(reading: Reading, used: ReadonlySet<string>): Record<'required' | 'optional', Input[]> {
  const required: Input[] = reading.routes.inputs();
  const optional: Input[] = [];
  const add = (input: Input, needed: boolean) => {
    const known = [...required, ...optional].some(({ name }) => name === input.name);
    if (!known && used.has(`inputs.${input.name}`)) (needed ? required : optional).push(input);
  };
  for (const { input, required: needed } of reading.asked.values()) add(input, needed);
  for (const variable of reading.variables.names()) {
    const meaning = reading.variables.meaning(variable);
    if (meaning?.kind !== 'input') continue;
    add(meaning.input, meaning.required);
    if (used.has(`inputs.${meaning.name}`)) {
      reading.notes.infer(
        reading.variables.firstPath(variable),
        `the variable ${variable} becomes the input ${meaning.name}, of type ${meaning.input.type}`,
      );
    }
  }
  return { required: required.filter(({ name }) => used.has(`inputs.${name}`)), optional };
}

function secretsOf(reading: Reading, used: ReadonlySet<string>): Record<string, Secret> {
  const secrets: Record<string, Secret> = {};
  for (const variable of reading.variables.names()) {
    const meaning = reading.variables.meaning(variable);
    if (meaning?.kind !== 'secret' || !used.has(`secrets.${meaning.name}`)) continue;
    secrets[meaning.name] = meaning.secret;
    reading.notes.infer(
      reading.variables.firstPath(variable),
      `the variable ${variable} becomes the generated secret ${meaning.name}`,
    );
    const magic = magicOf(variable);
    if (magic?.kind === 'secret' && magic.needs !== undefined)
      secrets[magic.needs] ??= { generate: 'alnum', length: 32 };
  }
  for (const [name, secret] of [...reading.passwords.secrets(), ...reading.secrets]) {
    if (used.has(`secrets.${name}`)) secrets[name] = secret;
  }
  return secrets;
}
