import { dosingAutomationJob } from '../automations/automation-jobs.ts';
import { dosingAutomations } from '../automations/automations.ts';
import { biomassSignalSetting } from '../automations/biomass.ts';
import type { ProfileFinding } from './diagnostic.ts';
import type { ProfileAction, ProfileJobs, ProfileValues } from './profile.ts';

type Report = (finding: ProfileFinding) => void;

/** Whether a target names no scale, so that each unit would choose its own. */
function lacksScale(options: ProfileValues): boolean {
  const automation = dosingAutomations.find(({ name }) => name === options.automation_name);
  const signal = options[biomassSignalSetting] ?? 'auto';
  return automation?.density?.signal === 'biomass' && signal === 'auto';
}

function checkActions(report: Report, path: string, actions: readonly ProfileAction[]): void {
  for (const [index, action] of actions.entries()) {
    const own = `${path}.actions[${index}]`;
    if (action.type === 'repeat' || action.type === 'when') checkActions(report, own, action.actions);
    if (action.type !== 'start' || !lacksScale(action.options)) continue;
    const message = `The target has no scale: each unit chooses its own ${biomassSignalSetting}, and the same number may mean different densities.`;
    const hint = `Add a ${biomassSignalSetting}: od, od_fused or normalized_od.`;
    report({ severity: 'warning', code: 'job.biomass_signal.unnamed', message, path: own, hint });
  }
}

/** Reports density targets whose scale the profile does not name. */
export function checkBiomass(report: Report, groups: readonly (readonly [path: string, jobs: ProfileJobs])[]): void {
  for (const [path, jobs] of groups) {
    if (!Object.hasOwn(jobs, dosingAutomationJob.name)) continue;
    checkActions(report, `${path}.${dosingAutomationJob.name}`, jobs[dosingAutomationJob.name]?.actions ?? []);
  }
}
