import { COARSE, FINE, removalOfPoints } from '../metrics/public.ts';

const capacity = { table: 'capacity_points', key: ['server_id', 'step', 'at'] } as const;

export const removeFineCapacity = removalOfPoints(capacity, FINE);
export const removeCapacity = removalOfPoints(capacity, COARSE);
