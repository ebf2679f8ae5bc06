import { JsonSize } from '../http/validation/json-size.ts';

/** Values of a message of a stream: 5,000 lines of a log have fewer. */
const MAX_VALUES = 60_000;

/** Parses a message of a stream. Throws if it is not JSON, or has more values than any stream needs. */
export function streamJson(data: Buffer): unknown {
  new JsonSize(MAX_VALUES).add(data);
  return JSON.parse(data.toString());
}
