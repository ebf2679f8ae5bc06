import { removalOfPoints } from '../../retention/points.ts';
import { COARSE, FINE } from './steps.ts';

const series = { table: 'usage_points', owner: 'instance_id' } as const;

export const removeFineUsage = removalOfPoints(series, FINE);
export const removeUsage = removalOfPoints(series, COARSE);
