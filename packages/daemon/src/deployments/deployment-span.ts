import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { type Span, span } from '@hortus/tracing/span';

/** Runs a deployment in the trace of its order. A rollback that the daemon decided on has a trace of its own. */
export const inDeploymentSpan = (
  id: string,
  { traceparent, definition_id, revision, server_id }: SignedManifest,
  isReturn: boolean,
  work: (opened: Span) => Promise<void>,
): Promise<void> =>
  span(
    isReturn ? 'rollback' : 'deployment',
    {
      kind: 'consumer',
      parent: isReturn ? null : (traceparent ?? null),
      attributes: {
        'hortus.deployment_id': id,
        'hortus.definition_id': definition_id,
        'hortus.revision': revision,
        'hortus.server_id': server_id,
      },
    },
    work,
  );
