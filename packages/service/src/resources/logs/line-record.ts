import { LogMessage, type StreamedLine } from '@hortus/contract/channel/streams';
import type { ContainerLine } from '@hortus/contract/resources/logs';
import { Compile } from 'typebox/compile';
import { Problem } from '../../problem.ts';
import { streamJson } from '../../streams/stream-json.ts';

const check = Compile(LogMessage);

/** Parses a message of a daemon; throws a Problem if it is malformed. */
export function readMessage(data: Buffer): LogMessage {
  try {
    const message: unknown = streamJson(data);
    if (check.Check(message)) return message;
  } catch {
    // Not JSON.
  }
  throw new Problem('SERVER_ERROR', 'The daemon sent a malformed log. Update hortusd on the server.');
}

export const lineRecord = (line: StreamedLine): ContainerLine => ({
  id: String(line.position),
  at: timeOf(line.at),
  component: line.component,
  replica: line.replica,
  container_id: line.container,
  stream: line.stream,
  level: line.level,
  text: line.text,
  cut: line.cut,
});

/** Latest time of a date; a daemon with a wrong clock must not make lines unreadable. */
const LATEST = 8.64e12;

const timeOf = (seconds: string): string => new Date(Math.min(Number(seconds), LATEST) * 1_000).toISOString();

export const millisOf = (line: StreamedLine): number => Number(line.at) * 1_000;
