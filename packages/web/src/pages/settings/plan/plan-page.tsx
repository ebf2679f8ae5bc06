import type { QuotaName } from '@hortus/contract/resources/quotas';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { rateNow } from '../../../api/rate-budget.ts';
import { disk } from '../../../parts/amount.ts';
import { Meter } from '../../../parts/meter.tsx';
import { Section } from '../../../parts/page.tsx';
import { sentenceCase } from '../../../parts/status.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { SettingsFrame } from '../settings-frame.tsx';

const NAMES: Readonly<Record<QuotaName, string>> = {
  servers: 'Servers',
  definitions: 'Definitions',
  keys: 'API keys',
  webhooks: 'Webhook endpoints',
  templates: 'Private templates',
  connections: 'Saved connections',
  output_bytes: 'Stored output',
};

/** The plan of the account: requests a minute, and how much of each quota is used. */
export function PlanPage(): ReactNode {
  const query = useApi('account.read');
  return (
    <SettingsFrame
      title="Plan and limits"
      note="The plan sets how many requests a minute the account may make and how much it may keep. The operator of this installation changes it."
    >
      <Loaded query={query} lines={8}>
        {({ data: { account, quotas } }) => (
          <div className="max-w-[720px]">
            <Section title={`Plan ${sentenceCase(account.plan)}`} className="mb-9">
              <Requests />
            </Section>
            {quotas && (
              <Section title="Quotas">
                <ul>
                  {(Object.entries(quotas) as [QuotaName, { used: number; limit: number }][]).map(([name, quota]) => (
                    <Use
                      key={name}
                      name={NAMES[name] ?? name}
                      {...quota}
                      print={name === 'output_bytes' ? disk : plain}
                    />
                  ))}
                </ul>
              </Section>
            )}
          </div>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

const plain = (count: number): string => count.toLocaleString();

function Requests() {
  const rate = rateNow();
  if (!rate) return null;
  return (
    <ul>
      <Use name="Requests this minute" used={rate.limit - rate.remaining} limit={rate.limit} print={plain} />
    </ul>
  );
}

function Use({
  name,
  used,
  limit,
  print,
}: {
  name: string;
  used: number;
  limit: number;
  print: (count: number) => string;
}) {
  return (
    <li className="border-t border-line py-3">
      <p className="mb-1.5 flex justify-between gap-3 text-sm">
        <span>{name}</span>
        <span className="text-ink-2">
          {print(used)} of {print(limit)}
        </span>
      </p>
      <Meter label={name} percent={limit === 0 ? 0 : (used / limit) * 100} />
    </li>
  );
}
