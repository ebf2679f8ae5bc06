import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { isSameImage } from '../pull/digests.ts';
import type { Substitutes } from './substitutes.ts';

/**
 * Wraps an engine so that containers of substituted images are created from the local ones. A label keeps the reference of the
 * manifest, under which the container is reported: otherwise it would differ from the manifest at every comparison.
 */
export function substitutingEngine(engine: Engine, substitutes: Substitutes): Engine {
  return {
    ...engine,
    substituteFor: (image) => substitutes.of(image),
    isSubstitute: (image) => substitutes.includes(image),
    async create(spec) {
      // Only this function may set the label, not a manifest.
      const { [label.substituted]: _, ...labels } = spec.labels;
      const local = substitutes.of(spec.image);
      if (local === undefined) return await engine.create({ ...spec, labels });
      return await engine.create({ ...spec, image: local, labels: { ...labels, [label.substituted]: spec.image } });
    },
    inspect: async (id) => asDeclared(await engine.inspect(id), substitutes),
    containers: async (filter) => (await engine.containers(filter)).map((facts) => asDeclared(facts, substitutes)),
  };
}

/** Keeps the local image of a container if the settings now name another, so that the difference shows as drift. */
function asDeclared<Facts extends ContainerFacts | undefined>(facts: Facts, substitutes: Substitutes): Facts {
  const declared = facts?.labels[label.substituted];
  const local = declared === undefined ? undefined : substitutes.of(declared);
  if (facts === undefined || declared === undefined || local === undefined) return facts;
  return isSameImage(facts.image, local) ? { ...facts, image: declared, substitute: facts.image } : facts;
}
