import type { DefinitionCreate } from '@hortus/contract/resources/definitions';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../../api/client.ts';

/**
 * Creates the definition, orders its deployment and goes to the rollout. If the deployment is refused, for example
 * because the server is full, the definition is archived again, so that the next attempt can use its name.
 */
export function useDeploy() {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ body: string; error: unknown }>();
  async function deploy(body: DefinitionCreate, how: { ignore_capacity?: boolean } = {}): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFailed(undefined);
    try {
      const id = await ordered(body, how);
      await navigate({ to: '/deployments/$id', params: { id } });
    } catch (refusal) {
      setFailed({ body: JSON.stringify(body), error: refusal });
      setBusy(false);
    }
  }
  /** Why an order was refused; nothing once something else would be ordered. */
  const errorOf = (body: DefinitionCreate | undefined): unknown =>
    failed?.body === JSON.stringify(body) ? failed?.error : undefined;
  return { deploy, busy, errorOf };
}

async function ordered(body: DefinitionCreate, how: { ignore_capacity?: boolean }): Promise<string> {
  const { data: definition } = await client.call('definitions.create', { body });
  try {
    const { data } = await client.call('deployments.execute', { body: { definition_id: definition.id, ...how } });
    return data.id;
  } catch (refusal) {
    await client.call('definitions.archive', { params: { id: definition.id } }).catch(() => undefined);
    throw refusal;
  }
}
