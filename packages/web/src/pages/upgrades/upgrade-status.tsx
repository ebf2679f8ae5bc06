import { upgradeSteps } from '@hortus/contract/actions/steps';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { Status, type Tone } from '../../parts/status.tsx';

const TONES: Readonly<Record<Upgrade['status'], Tone>> = {
  available: 'idle',
  acknowledged: 'idle',
  applying: 'now',
  applied: 'ok',
  failed: 'bad',
};

/** State of an upgrade; while it runs, its step. */
export function UpgradeStatus({ upgrade: { status, step } }: { upgrade: Upgrade }) {
  if (status === 'applying' && step)
    return (
      <Status state={status} tone="now">
        {upgradeSteps[step].name}
      </Status>
    );
  return <Status state={status} tone={TONES[status]} />;
}

/** Upgrades that can be applied without a question. */
export const isReady = ({ status, ready }: Upgrade): boolean =>
  ready && (status === 'available' || status === 'acknowledged');
