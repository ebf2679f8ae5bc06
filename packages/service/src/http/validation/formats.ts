import { Format } from 'typebox/format';

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * The validator's own date-time accepts leap seconds and calendar suffixes, for which `new Date` returns an invalid
 * date.
 */
Format.Set('date-time', (value) => rfc3339.test(value) && !Number.isNaN(Date.parse(value)));

/** Descriptions of formats in error messages. */
export const formatWords: Readonly<Record<string, string>> = {
  'date-time': 'must be a time such as 2030-01-31T12:00:00Z',
  uri: 'must be a full address such as https://example.org/path',
  email: 'must be an email address',
};
