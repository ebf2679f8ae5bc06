import type { Endpoint } from '@hortus/contract/endpoint';
import { ErrorBody } from '@hortus/contract/envelope';
import { type ErrorCode, errorTable } from '@hortus/contract/errors';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { expect } from 'vitest';
import type { TestResponse } from './running-service.ts';

/**
 * Checks what the published interface promises for every answer, and returns the answer. A row with a media type other
 * than JSON uses it only for success.
 */
export function expectPublished(response: TestResponse, row: Pick<Endpoint, 'media' | 'file'> = {}): TestResponse {
  const { status, headers, json } = response;
  const reported = JSON.stringify(json)?.slice(0, 500);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    expect(headers.get(name), `${name} of ${status} ${reported}`).toMatch(/^\d+$/);
  }
  expect(headers.get('x-request-id'), reported).toMatch(/^\S+$/);
  if (status < 300 && row.media !== undefined) expect(headers.get('content-type')).toBe(row.media);
  if (status < 300 && (row.media !== undefined || row.file)) return response;
  expect(headers.get('content-type'), reported).toBe('application/json; charset=utf-8');
  expect(json?.success, reported).toBe(status < 300);
  if (status >= 300) {
    expectShape(ErrorBody, json);
    expect(Object.keys(json).sort(), reported).toEqual(['error', 'success']);
    expect(Object.keys(json.error), reported).toEqual(
      ['code', 'message', 'details'].slice(0, Object.keys(json.error).length),
    );
    expect(errorTable[json.error.code as ErrorCode].status, reported).toBe(status);
  }
  return response;
}

/** Reports every mismatch with its path. */
export function expectShape(schema: TSchema, value: unknown): void {
  const errors = [...Value.Errors(schema, value)].map((error) => `${error.instancePath}: ${error.message}`);
  expect(errors, JSON.stringify(value)?.slice(0, 2000)).toEqual([]);
}

/** Expects a refusal with this code; message and details must name `field` or a part of it. */
export function expectRefusal(response: TestResponse, code: ErrorCode, field?: string): void {
  expectPublished(response);
  const { error } = response.json;
  expect(error.code, JSON.stringify(error)).toBe(code);
  if (field === undefined) return;
  const named = String(error.details?.field);
  expect(named.split(/[.[]/)[0], JSON.stringify(error)).toBe(field);
  expect(error.message).toContain(named);
}
