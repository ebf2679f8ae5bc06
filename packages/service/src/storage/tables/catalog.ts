import type { StateOf } from '@hortus/contract/machines/machine';
import type { recipeMachine } from '@hortus/contract/machines/recipe';
import type { templateMachine } from '@hortus/contract/machines/template';
import type { templateTestMachine } from '@hortus/contract/machines/template-test';
import type { Flag, Json, Status, Time } from './columns.ts';

/** What can be deployed, and what helps to choose. */
export interface CatalogTables {
  templates: {
    id: string;
    /** 'catalog', or the account whose private template it is. */
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
    /** Of one that was a recipe: whose it was, and the name they had then. */
    author_account: string | null;
    author: string | null;
    /** The text it came as, where an account wrote it: findings count its lines. */
    source: string | null;
    /** The spec_hash that the validator found no error in. */
    validated_hash: string | null;
    created_at: Time;
    updated_at: Time;
  };
  /** A template tried on a server, and what was planted for it. */
  template_tests: {
    id: string;
    account_id: string;
    template_id: string;
    spec_hash: string;
    server_id: string;
    definition_id: string;
    deployment_id: string;
    /** The executions that make its smoke test and clear it away, once they are ordered. */
    smoke_id: string | null;
    release_id: string | null;
    status: Status<StateOf<typeof templateTestMachine>>;
    reason: 'deployment' | 'smoke' | 'timeout' | 'server_removed' | null;
    error: string | null;
    output: string | null;
    deadline_at: Time;
    /** When nothing of it was left on the server. */
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
    /** The YAML text, or the object as JSON: `spec_form` tells which. */
    spec: string;
    spec_form: 'text' | 'object';
    findings: Json;
    valid: Flag;
    status: Status<StateOf<typeof recipeMachine>>;
    /** As many as there are rows in `recipe_upvotes`, kept here because lists are sorted by it. */
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
  /** What one asker has had of the assistant in a month, written `2026-01`. */
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
