import type { RegisteredRouter } from '@tanstack/react-router';

/** Path of a page without params. */
export type PagePath = Exclude<keyof RegisteredRouter['routesByPath'], `${string}$${string}`>;
