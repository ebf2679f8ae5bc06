import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { CanonicalComponent } from '../canonical/canonical-form.ts';
import { findCycle } from '../canonical/start-order.ts';
import { parseSchedule } from '../notation/schedule.ts';
import { didYouMean } from '../schema/nearest.ts';
import { error, type Path, type Remark } from '../source/finding.ts';
import type { Rule } from './rule.ts';

export const components: Rule = function* (spec) {
  for (const [name, component] of Object.entries(spec.components)) {
    const path = ['components', name];
    yield* kind(component, path);
    yield* probe(component, path);
    yield* mounts(component, path);
    if (component.replicas > 1 && component.ports.some((port) => port.host_port !== undefined)) {
      yield error('replicas', [...path, 'replicas'], 'only one replica can have a fixed port of the server');
    }
    yield* nodeLoss(component, path, spec.backup.strategy);
  }
};

export const dependencies: Rule = function* (spec) {
  const names = Object.keys(spec.components);
  for (const [name, component] of Object.entries(spec.components)) {
    for (const [other, condition] of Object.entries(component.depends_on)) {
      const path = ['components', name, 'depends_on', other];
      const target = Object.hasOwn(spec.components, other) ? spec.components[other] : undefined;
      if (target === undefined) {
        yield {
          ...error('unknown-component', path, `there is no component ${other}`, didYouMean(other, names)),
          atKey: true,
        };
      } else if (condition === 'completed' && target.kind !== 'job') {
        yield error('condition', path, `${other} is not a job and never completes`, 'wait for started or healthy');
      } else if (condition === 'healthy' && target.kind === 'job') {
        yield error('condition', path, `${other} is a job`, 'wait for completed');
      } else if (condition === 'healthy' && (target.healthcheck === undefined || target.healthcheck.disabled)) {
        yield error('no-healthcheck', path, `${other} has no healthcheck, so it never becomes healthy`);
      } else if (target.kind === 'job' && target.run !== 'before_start') {
        yield error('condition', path, `the job ${other} runs after the start, so no component can wait for it`);
      }
    }
  }
  const cycle = findCycle(names, (name) => Object.keys(spec.components[name]?.depends_on ?? {}));
  if (cycle !== undefined) {
    const [first = '', second = ''] = cycle;
    yield error(
      'cycle',
      ['components', first, 'depends_on', second],
      `the dependencies form a cycle: ${cycle.join(' → ')}`,
    );
  }
};

function* kind(component: CanonicalComponent, path: Path): Generator<Remark> {
  if (component.kind === 'service') {
    for (const key of ['run', 'schedule'] as const) {
      if (component[key] !== undefined) yield error('misplaced', [...path, key], `${key} belongs to a job`);
    }
    if (component.irreversible) yield error('misplaced', [...path, 'irreversible'], 'irreversible belongs to a job');
    return;
  }
  if (component.run === 'schedule' && component.schedule === undefined) {
    yield error('no-schedule', path, 'a job with run: schedule needs a schedule');
  }
  const { schedule } = component;
  if (schedule !== undefined && !schedule.includes('${') && parseSchedule(schedule) === undefined) {
    yield error(
      'schedule',
      [...path, 'schedule'],
      `${schedule} is not a schedule, or never occurs`,
      'such as 30 2 * * 1-5',
    );
  }
  if (component.run !== 'schedule' && component.schedule !== undefined) {
    yield error('misplaced', [...path, 'schedule'], 'schedule needs run: schedule');
  }
  if (component.healthcheck)
    yield error('misplaced', [...path, 'healthcheck'], 'a job has no health check; it is done when it ends');
  if (component.restart === 'always' || component.restart === 'unless-stopped') {
    yield error('misplaced', [...path, 'restart'], `a job with restart: ${component.restart} would never end`);
  }
}

/** A lost node takes the volumes of a component along; only a backup brings them back. */
function* nodeLoss(component: CanonicalComponent, path: Path, strategy: string): Generator<Remark> {
  const { on_node_loss, kind: what, storage } = component;
  if (on_node_loss === undefined) return;
  const place = [...path, 'on_node_loss'];
  if (what === 'job') yield error('misplaced', place, 'on_node_loss belongs to a service; a job runs where it can');
  if (on_node_loss !== 'restore') return;
  if (!storage.some(({ host_path }) => host_path === undefined))
    yield error('no-volume', place, 'restore needs a volume; without one the component starts on any node');
  if (strategy === 'none') yield error('no-backup', place, 'restore needs a backup; this template makes none');
}

function* probe({ healthcheck }: CanonicalComponent, path: Path): Generator<Remark> {
  if (healthcheck === undefined) return;
  const { http, tcp, test, disabled } = healthcheck;
  const said = [http, tcp, test, disabled].filter((item) => item !== undefined).length;
  if (said !== 1)
    yield error('healthcheck', [...path, 'healthcheck'], 'needs exactly one of http, tcp, test and disabled');
}

function* mounts({ storage, files, tmpfs }: CanonicalComponent, path: Path): Generator<Remark> {
  const taken = new Set<string>();
  for (const [key, entries] of Object.entries({ storage, files, tmpfs })) {
    for (const [index, { mount_path }] of entries.entries()) {
      const place = withoutTrailing(mount_path, '/');
      if (taken.has(place))
        yield error('duplicate', [...path, key, index, 'mount_path'], `${mount_path} is mounted twice`);
      if (place === '') yield error('mount', [...path, key, index, 'mount_path'], 'nothing can be mounted over /');
      taken.add(place);
    }
  }
}
