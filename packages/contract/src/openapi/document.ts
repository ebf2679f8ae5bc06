/** The subset of OpenAPI 3.1 that the service writes and the reference page reads. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  /** False behind `prefixItems`: a tuple has no further items. */
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export interface Ref {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Example {
  readonly value: unknown;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, Example | Ref>>;
}

interface Content {
  readonly 'application/json': MediaType;
}

export interface Reply {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  /** JSON, except for files and event streams. */
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly 'x-permission': string;
  /** Whether a server key may call it, for its own server. */
  readonly 'x-server-key'?: true;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Reply | Ref>>;
}

export interface WebhookOperation {
  readonly post: {
    readonly operationId: string;
    readonly summary: string;
    readonly security: readonly Readonly<Record<string, readonly string[]>>[];
    readonly parameters: readonly Parameter[];
    readonly requestBody: { readonly required: true; readonly content: Content };
    readonly responses: Readonly<Record<string, Reply>>;
  };
}

interface MachineTable {
  readonly states: readonly string[];
  readonly final: readonly string[];
  readonly moves: readonly {
    move: string;
    from: readonly string[] | string;
    to: string;
    guard?: string;
    event?: string;
  }[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, WebhookOperation>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Reply>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  readonly 'x-permissions': Readonly<Record<string, string>>;
  readonly 'x-state-machines': Readonly<Record<string, MachineTable>>;
}
