import { useMutation } from '@tanstack/react-query';
import { client } from '../api/client.ts';
import { toast, toastProblem } from '../parts/toast.tsx';

export type InstanceOrder = 'start' | 'stop' | 'restart';
const WORDS: Readonly<Record<InstanceOrder, string>> = { start: 'Starting', stop: 'Stopping', restart: 'Restarting' };

interface Ordered {
  readonly id: string;
  readonly name: string;
  readonly what: InstanceOrder;
}

/** Starts, stops or restarts an instance, and says so. */
export function useInstanceOrder() {
  const order = useMutation({
    // The three orders have the same form.
    mutationFn: ({ id, what }: Ordered) => client.call(`instances.${what}` as 'instances.start', { params: { id } }),
    onSuccess: (_, { name, what }) => toast(`${WORDS[what]} ${name}.`),
    onError: (error, { name, what }) => toastProblem(`Could not ${what} ${name}.`)(error),
  });
  return { run: order.mutate, running: order.isPending ? order.variables.what : undefined };
}
