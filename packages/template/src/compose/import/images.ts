import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { demanded } from './interpolation.ts';
import { capitals } from './names.ts';
import type { Reading } from './reading.ts';

/** Reads the image of a service. An image that is only built becomes a required input. */
export function readImage(reading: Reading, service: Record<string, unknown>, component: string, path: Path): string {
  const at = [...path, 'image'];
  const pieces = demanded(reading.pieces(service.image, at) ?? []);
  if (pieces.length > 0) {
    if (service.build !== undefined)
      reading.notes.infer([...path, 'build'], 'the image is deployed without building it');
    return reading.write(pieces, at).trim();
  }
  const name = reading.freeName(`${capitals(component)}_IMAGE`);
  if (service.build !== undefined && service.build !== null) {
    const context = isMapping(service.build) ? service.build.context : service.build;
    const from = typeof context === 'string' ? ` from ${context}` : '';
    reading.notes.drop([...path, 'build'], `images are not built: the image built${from} becomes the input ${name}`);
  } else reading.notes.infer(path, `the service names no image, which becomes the input ${name}`);
  return reading.ask(
    { name, type: 'string', label: `Image of ${component}`, placeholder: 'registry.example.org/name:1.0.0' },
    true,
  );
}
