import type { AutomationDescriptor, Capability, DistinctCapabilities, JobDescriptor } from '@lcs/contract';
import { builtInJobs } from '@lcs/domain';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useJobDescriptors } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import {
  type AutomationKind,
  automationKinds,
  capabilitiesOf,
  capabilitiesOfAny,
  capabilitiesWithLastUsed,
  type JobFacts,
  keptCapabilities,
  type ShownJob,
  shownJobs,
} from './job-catalog.ts';

/** Plugins change rarely. */
const usualPauseMs = 300_000;
/** While a part of a board is missing, a person may be repairing it. */
const shortPauseMs = 60_000;

/**
 * Jobs that are built in. The web UI requests the descriptors of a unit's plugins only when the unit has other jobs.
 * A job that is missing here costs one request to each unit.
 */
const builtInNames: ReadonlySet<string> = new Set([...builtInJobs.map(({ name }) => name), 'camera_snapshot']);

type Automations = Readonly<Record<AutomationKind, readonly AutomationDescriptor[]>>;

function useAutomations() {
  const { leader } = useServices();
  const answers = useQueries({
    queries: automationKinds.map((kind) => ({
      queryKey: queryKeys.automationDescriptors(kind),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        leader.listAutomationDescriptors({ params: { automation_type: kind }, signal }),
      refetchInterval: usualPauseMs,
    })),
  });
  const [temperature, dosing, led] = answers.map(({ data }) => data);
  const error = answers.find((answer) => answer.error !== null)?.error ?? null;
  const automations: Automations = useMemo(
    () => ({ temperature: temperature ?? [], dosing: dosing ?? [], led: led ?? [] }),
    [temperature, dosing, led],
  );
  return { automations, error };
}

const hasMissing = (known: DistinctCapabilities | undefined): boolean =>
  known?.groups.some(({ capabilities }) => capabilities.some(({ available }) => available === false)) ?? false;

/** The capabilities of all units: one request, since most units have equal ones. */
function useAllCapabilities(isEnabled: boolean) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useQuery({
    queryKey: queryKeys.capabilities,
    queryFn: async ({ signal }) =>
      // What a unit reported stays true while it is offline.
      keptCapabilities(cache.getQueryData(queryKeys.capabilities), await leader.listDistinctCapabilities({ signal })),
    enabled: isEnabled,
    refetchInterval: ({ state: { data, status } }) =>
      status === 'error' || hasMissing(data) ? shortPauseMs : usualPauseMs,
  });
}

/** Asks again when one of the units that are online has not been asked, such as one that has just come. */
function useAskedAgain(
  { data, refetch }: Pick<ReturnType<typeof useAllCapabilities>, 'data' | 'refetch'>,
  online: readonly string[],
) {
  const missing = data === undefined ? '' : online.filter((unit) => capabilitiesOf(data, unit) === undefined).join(' ');
  useEffect(() => {
    if (missing !== '') void refetch({ cancelRefetch: false });
  }, [missing, refetch]);
}

/** The capabilities that a unit reports, `undefined` until it has reported them, and when the leader sent them. */
function useCapabilities(unit: string, isOnline: boolean): Pick<JobFacts, 'capabilities' | 'asOfMs'> {
  const all = useAllCapabilities(isOnline);
  useAskedAgain(all, isOnline ? [unit] : []);
  const { data, dataUpdatedAt } = all;
  return useMemo(
    () => ({ capabilities: capabilitiesWithLastUsed(data, unit), asOfMs: dataUpdatedAt }),
    [data, unit, dataUpdatedAt],
  );
}

/** A unit that does not answer keeps no form closed: it then proposes what is known. */
const lastUsedWithinMs = 5_000;

/**
 * When a form opens, asks for the values of the last runs, which may have ended a moment ago; whether the given ones are as new as can be had.
 * The time of the values decides, not whether a request is under way: that is known before the form has its answer.
 */
export function useFreshLastUsed({ asOfMs }: Pick<ShownJob, 'asOfMs'>): boolean {
  const cache = useQueryClient();
  const { clock } = useServices();
  /** The time of the values that were there before; undefined: not asked yet. */
  const [beforeMs, setBefore] = useState<number>();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const queryKey = queryKeys.capabilities;
    setBefore(cache.getQueryState(queryKey)?.dataUpdatedAt ?? 0);
    // Without a unit that is online nobody is asked, and the answer may fail.
    const hasFailed = () => cache.getQueryState(queryKey)?.status !== 'success';
    const asked = cache.invalidateQueries({ queryKey });
    if (cache.isFetching({ queryKey }) === 0) setLate(true);
    void asked.then(() => {
      if (hasFailed()) setLate(true);
    });
    return clock.after(lastUsedWithinMs, () => setLate(true));
  }, [cache, clock]);
  return isLate || (beforeMs !== undefined && asOfMs > beforeMs);
}

/** The descriptors of the leader, and those that only the unit has: it may have other plugins. */
function useDescriptorsOf(
  unit: string,
  isOnline: boolean,
  known: readonly JobDescriptor[] | undefined,
  capabilities: readonly Capability[] | undefined,
): readonly JobDescriptor[] {
  const { leader } = useServices();
  const isUndescribed = ({ job_name }: Capability): boolean => {
    // `od_blank delete`: another action of the job.
    const [job = job_name] = job_name.split(' ', 1);
    return !builtInNames.has(job) && !known?.some((descriptor) => descriptor.job_name === job);
  };
  const own = useQuery({
    queryKey: queryKeys.jobDescriptorsOf(unit),
    queryFn: ({ signal }) => leader.listJobDescriptorsOfWorker({ params: { reactor_unit: unit }, signal }),
    enabled: isOnline && known !== undefined && (capabilities?.some(isUndescribed) ?? false),
    refetchInterval: usualPauseMs,
  }).data;
  return useMemo(() => {
    const names = new Set(known?.map(({ job_name }) => job_name));
    return [...(known ?? []), ...(own ?? []).filter(({ job_name }) => !names.has(job_name))];
  }, [known, own]);
}

/** The jobs of a unit with its capabilities. */
export function useShownJobs(unit: string, isOnline: boolean): readonly ShownJob[] {
  const { data } = useJobDescriptors();
  const { automations } = useAutomations();
  const known = useCapabilities(unit, isOnline);
  const descriptors = useDescriptorsOf(unit, isOnline, data, known.capabilities);
  return useMemo(() => shownJobs({ descriptors, automations, ...known }), [descriptors, automations, known]);
}

/** The jobs that several units can do at once, and for each job why some cannot. */
export interface FleetJobs {
  readonly jobs: readonly ShownJob[];
  /** By job: the units that cannot start it, with the reason. */
  readonly shortfalls: ReadonlyMap<string, readonly { readonly unit: string; readonly reason: string }[]>;
}

export function useFleetJobs(units: readonly string[], isOnline: (unit: string) => boolean): FleetJobs {
  const { data } = useJobDescriptors();
  const { automations } = useAutomations();
  const online = units.filter(isOnline);
  const all = useAllCapabilities(online.length > 0);
  useAskedAgain(all, online);
  const { data: known, dataUpdatedAt: asOfMs } = all;
  return useMemo(() => {
    const facts = { descriptors: data ?? [], automations, asOfMs };
    const answers = units.map((unit) => capabilitiesOf(known, unit));
    const withLastUsed = units.map((unit) => capabilitiesWithLastUsed(known, unit));
    const jobs = shownJobs({ ...facts, capabilities: capabilitiesOfAny(withLastUsed) });
    // Most units have the same capabilities, and so the same jobs.
    const jobsOf = new Map([...new Set(answers)].map((own) => [own, shownJobs({ ...facts, capabilities: own })]));
    const shortfallsOf = (name: string) =>
      units.flatMap((unit, index) => {
        const reason = jobsOf.get(answers[index])?.find((job) => job.name === name)?.missing ?? null;
        return reason === null ? [] : [{ unit, reason }];
      });
    return { jobs, shortfalls: new Map(jobs.map(({ name }) => [name, shortfallsOf(name)])) };
  }, [units, data, automations, known, asOfMs]);
}

/** Whether the jobs are known, and the error that prevented it. */
export function useCatalogProblem() {
  const { data, error } = useJobDescriptors();
  const automations = useAutomations();
  return { isKnown: data !== undefined, error: error ?? automations.error };
}
