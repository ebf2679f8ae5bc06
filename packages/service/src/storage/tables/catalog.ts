import type { StateOf } from '@hortus/contract/machines/machine';
import type { recipeMachine } from '@hortus/contract/machines/recipe';
import type { templateMachine } from '@hortus/contract/machines/template';
import type { templateTestMachine } from '@hortus/contract/machines/template-test';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Templates, recipes and other data of the catalog. */
export interface CatalogTables {
  templates: {
    id: string;
    /** 'catalog', or the account of a private template. */
    owner: string;
    species: string;
    version: string;
    name: string;
    description: string;
    archetype: string;
    kingdom: string;
    family: string;
    app_version: string;
    spec: Json;
    spec_hash: string;
    status: Status<StateOf<typeof templateMachine>>;
    deprecated: Flag;
    featured: Flag;
    /** For a former recipe: its account, and the name of that account at that time. */
    author_account: string | null;
    author: string | null;
    /** Source text if an account wrote it; findings refer to its lines. */
    source: string | null;
    /** The spec_hash for which the validator found no error. */
    validated_hash: string | null;
    /** When this spec was last run as a whole, and the digest of its image then. */
    verified_at: Time | null;
    verified_digest: string | null;
    created_at: Time;
    updated_at: Time;
  };
  /** A deploy test of a template, and its deployment. */
  template_tests: {
    id: string;
    account_id: string;
    template_id: string;
    spec_hash: string;
    server_id: string;
    definition_id: string;
    deployment_id: string;
    /** Executions of its smoke test and of its removal, once they are ordered. */
    smoke_id: string | null;
    release_id: string | null;
    status: Status<StateOf<typeof templateTestMachine>>;
    reason: 'deployment' | 'smoke' | 'timeout' | 'server_removed' | null;
    error: string | null;
    output: string | null;
    deadline_at: Time;
    /** When everything of it was removed from the server. */
    cleared_at: Time | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  recipes: {
    id: string;
    account_id: string;
    slug: string;
    name: string;
    description: string;
    author: string;
    /** YAML text, or an object as JSON, depending on `spec_form`. */
    spec: string;
    spec_form: 'text' | 'object';
    findings: Json;
    valid: Flag;
    status: Status<StateOf<typeof recipeMachine>>;
    /** Number of rows in `recipe_upvotes`, stored here because lists are sorted by it. */
    upvotes: number;
    reason: string | null;
    template_id: string | null;
    reviewed_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  recipe_upvotes: { recipe_id: string; voter: string; created_at: Time };
  saved_configs: {
    id: string;
    account_id: string;
    name: string;
    species: string;
    profile: string | null;
    variant: string | null;
    inputs: Json;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
  saved_config_secrets: { config_id: string; name: string; ciphertext: string };
  connections: {
    id: string;
    account_id: string;
    name: string;
    class: string;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
  connection_attributes: {
    connection_id: string;
    name: string;
    /** Null for a secret. */
    value: string | null;
    ciphertext: string | null;
    updated_at: Time;
  };
  /** Usage of the assistant by one user in a month, such as `2026-01`. */
  assistant_usage: {
    account_id: string;
    asker: string;
    month: string;
    questions: number;
    prompt_tokens: number;
    answer_tokens: number;
    updated_at: Time;
  };
}
