import type { Upgrade } from '@hortus/contract/resources/upgrades';

export type TypedInputs = Readonly<Record<string, string>>;
type Value = string | number | boolean | null;

/** Inputs of an order: what was typed, in the type of each input, and null for values that must be dropped. */
export function inputBody({ new_inputs, conflicts }: Upgrade, typed: TypedInputs): { inputs?: Record<string, Value> } {
  const inputs: Record<string, Value> = {};
  for (const { field, reason } of conflicts)
    if (reason === 'input_removed' || reason === 'input_invalid') inputs[field.replace(/^inputs\./, '')] = null;
  for (const { name, type } of new_inputs) {
    const text = typed[name];
    if (text !== undefined && text !== '') inputs[name] = typedValue(type, text);
  }
  return Object.keys(inputs).length > 0 ? { inputs } : {};
}

/** What does not fit its type is sent as it is: the service says what is wrong with it. */
function typedValue(type: string, text: string): Value {
  if (/^(?:number|integer|port)$/.test(type) && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}
