import Type, { type TProperties, type TSchema, type TSchemaOptions, type TString } from 'typebox';

/** Object schema that refuses unknown keys: a misspelt key must never be ignored silently. */
export function strict<P extends TProperties>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** Map schema with keys of one form; other keys are refused like unknown ones. */
export function mapOf<V extends TSchema>(key: TString, value: V, options: TSchemaOptions = {}) {
  return Type.Record(key, value, { ...options, additionalProperties: false });
}

export const Slug = (description: string) =>
  Type.String({
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    minLength: 1,
    maxLength: 63,
    description: `${description} Lower-case letters, digits and single hyphens.`,
    examples: ['first-page'],
  });

export const ComponentName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,30}$',
  description: 'The name of a component; part of its network alias, so it is a DNS label.',
  examples: ['app', 'db'],
});

export const SemanticVersion = (description: string) =>
  Type.String({
    pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$',
    description,
    examples: ['1.0.0'],
  });

export const StorageName = Type.String({
  pattern: '^[a-z][a-z0-9_-]{0,62}$',
  description: 'The name of a volume, unique in the template.',
  examples: ['data', 'uploads'],
});

export const VariableName = (description: string) =>
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$', description, examples: ['WEB_HOSTNAME'] });

/** A string in which `${…}` is filled. Every string of components, routes, vars, actions, smoke and notes is one. */
export const Text = (description: string) => Type.String({ maxLength: 65_536, description });

export const Line = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const Argv = (description: string) =>
  Type.Array(Type.String({ maxLength: 65_536 }), { minItems: 1, maxItems: 256, description });

export const Duration = (description: string, fallback?: string) =>
  Type.String({
    pattern: '^(\\d+(ms|s|m|h|d))+$',
    description: `${description} A duration such as 500ms, 30s, 5m, 1h30m.`,
    examples: ['30s', '5m'],
    ...(fallback === undefined ? {} : { default: fallback }),
  });

export const ByteSize = (description: string) =>
  Type.String({
    // The text before a reference excludes $, which avoids backtracking.
    pattern: '^(\\d+(\\.\\d+)?(B|k|K|M|G|T|Ki|Mi|Gi|Ti)?|[^$]*\\$\\{[^}]+\\}.*)$',
    description: `${description} Bytes, or with a unit: k M G T (powers of 1000), Ki Mi Gi Ti (powers of 1024).`,
    examples: ['512Mi', '2Gi'],
  });

export const Port = (description: string) => Type.Integer({ minimum: 1, maximum: 65_535, description });

export const ContainerPath = (description: string) =>
  Type.String({
    pattern: '^/',
    maxLength: 4096,
    description: `${description} An absolute path inside the container.`,
    examples: ['/data'],
  });

const CRON_LINE = '(\\S+\\s+){4}\\S+';

export const Schedule = (description: string) =>
  Type.String({ pattern: `^(hourly|daily|weekly|${CRON_LINE})$`, description, examples: ['daily', '30 3 * * *'] });
