import { type EventName, eventMeanings, eventNames } from '@hortus/contract/events';
import { CheckField } from '../../parts/check-field.tsx';
import { toggled } from '../../parts/toggled.ts';

/** Chooses events, each with what it means. */
export function EventChoice({
  chosen,
  onChange,
  problem,
}: {
  chosen: ReadonlySet<EventName>;
  onChange: (chosen: ReadonlySet<EventName>) => void;
  problem?: string | undefined;
}) {
  const toggle = (name: EventName) => onChange(toggled(chosen, name));
  const isAll = chosen.size === eventNames.length;
  return (
    <fieldset className="field">
      <legend className="field-label w-full">
        Events
        <button type="button" className="link" onClick={() => onChange(new Set(isAll ? [] : eventNames))}>
          {isAll ? 'None' : 'All'}
        </button>
      </legend>
      <div className="choices padded">
        {eventNames.map((name) => (
          <CheckField
            key={name}
            label={<code>{name}</code>}
            help={eventMeanings[name]}
            checked={chosen.has(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </div>
      {problem && <p className="help bad">{problem}</p>}
    </fieldset>
  );
}
