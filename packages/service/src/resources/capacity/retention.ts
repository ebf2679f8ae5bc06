import { removalOfPoints } from '../metrics/retention.ts';
import { COARSE, FINE } from '../metrics/steps.ts';

const capacity = { table: 'capacity_points', owner: 'server_id' } as const;

export const removeFineCapacity = removalOfPoints(capacity, FINE);
export const removeCapacity = removalOfPoints(capacity, COARSE);
