import type { Path } from '../finding.ts';
import { isMapping } from '../schema-check.ts';
import { demanded } from './interpolation.ts';
import { capitals } from './names.ts';
import type { Reading } from './reading.ts';

/** The image a service runs. One that is only built has to be named by whoever deploys. */
export function readImage(reading: Reading, service: Record<string, unknown>, component: string, path: Path): string {
  const at = [...path, 'image'];
  const pieces = demanded(reading.pieces(service.image, at) ?? []);
  if (pieces.length > 0) {
    if (service.build !== undefined)
      reading.notes.infer([...path, 'build'], 'the image is deployed; building it is left out');
    return reading.write(pieces, at).trim();
  }
  const name = reading.freeName(`${capitals(component)}_IMAGE`);
  if (service.build !== undefined && service.build !== null) {
    const context = isMapping(service.build) ? service.build.context : service.build;
    const from = typeof context === 'string' ? ` from ${context}` : '';
    reading.notes.drop([...path, 'build'], `images are deployed, not built: the one built${from} is asked as ${name}`);
  } else reading.notes.infer(path, `the service names no image; it is asked as ${name}`);
  return reading.ask(
    { name, type: 'string', label: `Image of ${component}`, placeholder: 'registry.example.org/name:1.0.0' },
    true,
  );
}
