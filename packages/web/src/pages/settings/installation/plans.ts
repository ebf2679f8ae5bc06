import type { Account } from '@hortus/contract/resources/sign-in';
import { sentenceCase } from '../../../parts/status.tsx';

export type Plan = Account['plan'];

const PLANS: Record<Plan, true> = { free: true, pro: true, enterprise: true };

export const planChoices = (Object.keys(PLANS) as Plan[]).map((value) => ({ value, label: sentenceCase(value) }));
