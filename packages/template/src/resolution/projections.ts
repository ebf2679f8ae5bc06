import type { SpecById, SpecBySpecies } from '@hortus/contract/resources/template-spec-shapes';
import type { InputType } from '@hortus/contract/template/inputs';
import { STANDARD_PROFILES } from '@hortus/contract/template/schema';
import type { Canonical, CanonicalBackup, CanonicalInput } from '../canonical/canonical-form.ts';
import { primaryComponent, primaryImage, primaryImageText, variantImage } from '../canonical/primary.ts';
import { portText } from '../notation/port-ranges.ts';

type ShownInput = Omit<CanonicalInput, 'name'> & { required: boolean };

/** Returns everything that a user is asked for: inputs, and external secrets. */
function shownInputs(spec: Canonical): Map<string, ShownInput> {
  const shown = new Map<string, ShownInput>();
  const show = ({ name, ...input }: CanonicalInput, required: boolean) => {
    const { default: standard, ...rest } = input;
    const open = standard !== undefined && input.type !== 'password';
    shown.set(name, { ...rest, required: required && standard === undefined, ...(open ? { default: standard } : {}) });
  };
  for (const input of spec.inputs.required) show(input, true);
  for (const input of spec.inputs.optional) show(input, false);
  for (const [name, { external, label, description }] of Object.entries(spec.secrets)) {
    if (!external) continue;
    const type: InputType = 'password';
    const declared = {
      ...(label === undefined ? {} : { label }),
      ...(description === undefined ? {} : { description }),
    };
    show({ name, type, immutable: false, ...declared }, true);
  }
  return shown;
}

/** The published form by species, in which the image is a reference. */
export function projectBySpecies(spec: Canonical): SpecBySpecies {
  const inputs = [...shownInputs(spec)].map(([name, input]) => ({ name, ...input }));
  return {
    image: primaryImageText(spec),
    inputs: { required: inputs.filter((input) => input.required), optional: inputs.filter((input) => !input.required) },
    secrets: spec.secrets,
    routes: spec.routes,
    healthcheck: primaryComponent(spec)?.[1].healthcheck ?? {},
    storage: storageOf(spec),
    canonical: spec,
  };
}

/** The published form by template id, in which the image is an object. */
export function projectById(spec: Canonical): SpecById {
  const image = primaryImage(spec);
  const standard = image && (variantImage(image) ?? image);
  return {
    image: {
      repository: image?.repository ?? '',
      // Default of Docker for a reference without a tag.
      tag: standard?.tag ?? 'latest',
      digest: standard?.digest ?? null,
      variants: (image?.variants ?? []).map(({ id, tag, default: standard }) => ({ id, tag, default: standard })),
    },
    user_inputs: Object.fromEntries(shownInputs(spec)),
    profiles: [...new Set([...STANDARD_PROFILES, ...Object.keys(spec.profiles)])],
    ports: portsOf(spec),
    volumes: storageOf(spec),
    canonical: spec,
  };
}

/** The backup section as listed beside the actions of an instance. */
export function projectBackup(backup: CanonicalBackup) {
  const { strategy, volumes, dump_action = null, schedule_hint = null } = backup;
  return {
    strategy,
    volumes: volumes.map(({ name, critical = false }) => ({ name, critical })),
    dump_action,
    schedule_hint,
  };
}

function storageOf(spec: Canonical) {
  return Object.entries(spec.components).flatMap(([component, { storage }]) =>
    storage.map((volume) => ({ component, ...volume })),
  );
}

/** Includes the ports of routes: a component need not repeat them. */
function portsOf(spec: Canonical): SpecById['ports'] {
  const routed = spec.routes.map((route) => ({ container_port: route.port }));
  const listed = Object.values(spec.components).flatMap(({ ports }) =>
    ports.map(({ container_port, last_port }) => ({ container_port, ...(last_port !== undefined && { last_port }) })),
  );
  const distinct = new Map([...routed, ...listed].map((port) => [portText(port), port]));
  return [...distinct.values()];
}
