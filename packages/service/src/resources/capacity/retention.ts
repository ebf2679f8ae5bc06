import { removalOfPoints } from '../../retention/points.ts';
import { COARSE, FINE } from '../metrics/steps.ts';

const series = { table: 'capacity_points', owner: 'server_id' } as const;

export const removeFineCapacity = removalOfPoints(series, FINE);
export const removeCapacity = removalOfPoints(series, COARSE);
