import type { Config } from '../../config/config-fields.ts';
import type { Resource } from '../../resource.ts';
import { PUBLISHED } from '../templates/public.ts';
import { APPLY, APPLY_ALL, type StepDeps } from './application.ts';
import type { UpgradeApplication } from './apply.ts';
import { applyAllJob, applyJob, wakeUpgrades } from './apply-job.ts';
import { upgradeRoutes } from './routes.ts';
import { publishedJob, SCAN, type ScanDeps, scanJob } from './scan.ts';
import type { Upgrades } from './service.ts';

interface Needs extends ScanDeps {
  readonly config: Pick<Config, 'upgradeScanHours'>;
  readonly upgrades: Upgrades;
  readonly application: UpgradeApplication;
  readonly applicationSteps: StepDeps;
}

export const resource = {
  tables: ['upgrades'],
  // Lists upgrades of running instances with their names.
  joins: ['instances', 'revisions', 'definitions'],
  subscribers: [wakeUpgrades],
  wire: ({ config: { upgradeScanHours }, storage, catalog, upgrades, application, applicationSteps }: Needs) => ({
    handlers: upgradeRoutes(upgrades, application),
    jobs: {
      [APPLY]: applyJob(storage, applicationSteps),
      [APPLY_ALL]: applyAllJob(storage, application),
      [PUBLISHED]: publishedJob({ storage, catalog }),
      ...(upgradeScanHours > 0 && { [SCAN]: scanJob({ storage, catalog }, upgradeScanHours * 3_600_000) }),
    },
  }),
} satisfies Resource<Needs>;
