import type { Resource } from '../../resource.ts';
import { DELIVER, deliveryJob } from './delivery-job.ts';
import { fanOut } from './fan-out.ts';
import { removeDeliveries } from './retention.ts';
import { webhookRoutes } from './routes.ts';
import type { WebhookDeps } from './service.ts';

interface Needs {
  readonly webhooks: WebhookDeps;
}

export const resource = {
  tables: ['webhook_endpoints', 'deliveries'],
  // Sends a delivery with its event.
  joins: ['events'],
  subscribers: [fanOut],
  retention: ({ deliveries }) => [{ name: 'deliveries', days: deliveries, remove: removeDeliveries }],
  wire: ({ webhooks }: Needs) => ({
    handlers: webhookRoutes(webhooks),
    jobs: { [DELIVER]: deliveryJob(webhooks) },
  }),
} satisfies Resource<Needs>;
