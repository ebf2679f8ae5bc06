/** Orders of the list of instances; with a leading minus the other way round. */
export const instanceSorts = ['name', '-name', 'status', '-status', 'started_at', '-started_at'] as const;
export type InstanceSort = (typeof instanceSorts)[number];

/** Rows that a sorted list reaches; further ones would cost the service more than a page should. */
export const maxSorted = 10_000;
