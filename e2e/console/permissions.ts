import type { Permission } from '@hortus/contract/permissions';
import type { Page } from 'playwright-core';

/** Shows the console as to a person with these permissions only. The service itself still knows the real ones. */
export async function withPermissions(page: Page, permissions: readonly Permission[]): Promise<void> {
  await page.route('**/api/v1/account', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({ response, json: { ...json, data: { ...json.data, permissions } } });
  });
}
