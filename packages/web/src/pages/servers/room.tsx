import type { Capacity } from '@hortus/contract/resources/capacity';
import { disk, memory } from '../../parts/amount.ts';
import { Meter } from '../../parts/meter.tsx';

type Print = (bytes: number) => string;

/** How full a server is: processor, memory and disk, each as words and as a meter. */
export function Room({ name, capacity }: { name: string; capacity: Capacity | null | undefined }) {
  const cpu = capacity?.cpu;
  return (
    <>
      <One
        label="CPU"
        of={name}
        percent={cpu?.used_percent}
        words={cpu ? `${Math.round(cpu.used_percent)} % of ${cpu.cores} cores` : undefined}
      />
      <Share label="Memory" of={name} part={capacity?.memory} print={memory} />
      <Share label="Disk" of={name} part={capacity?.disk} print={disk} />
    </>
  );
}

function Share({
  label,
  of,
  part,
  print,
}: {
  label: string;
  of: string;
  part: { used: number; free: number } | null | undefined;
  print: Print;
}) {
  const whole = part ? part.used + part.free : 0;
  return (
    <One
      label={label}
      of={of}
      percent={part && whole > 0 ? (part.used / whole) * 100 : undefined}
      words={part ? `${print(part.used)} of ${print(whole)}` : undefined}
    />
  );
}

function One({
  label,
  of,
  percent,
  words,
}: {
  label: string;
  of: string;
  percent: number | undefined;
  words: string | undefined;
}) {
  return (
    <div>
      <p className="mb-1.5 flex justify-between gap-1.5 text-xs whitespace-nowrap text-ink-3">
        <span>{label}</span>
        <b className="font-medium text-ink-2">{words ?? 'not reported'}</b>
      </p>
      <Meter label={`${label} of ${of}`} percent={percent ?? 0} />
    </div>
  );
}
