import { leaderApi } from '@lcs/contract';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { AlarmTab } from '../alarms/alarms-search.ts';
import { namedSettings } from '../config/named-settings.ts';
import { experimentTabs } from '../experiment/experiment-tabs.ts';
import type { OfferedStop } from '../jobs/stop-menu.tsx';
import { type JobTarget, jobEntries } from '../palette/job-targets.ts';
import { Palette } from '../palette/palette.tsx';
import type { PaletteItem } from '../palette/palette-items.ts';
import { useAssignments, useExperiments, useJobDescriptors, useJobs, useWorkers } from '../services/queries.ts';
import { useMay, useMayIn } from '../services/use-may.ts';
import { useLabelsOfUnits } from '../services/use-unit-names.ts';
import { settingsPages } from '../settings/settings-pages.ts';
import { commonWords } from '../words/common.ts';
import { paletteWords } from '../words/palette.ts';
import { stopsWords } from '../words/stops.ts';
import { unitNameText } from '../words/unit-name.ts';
import { entries } from './entries.tsx';

/** What the frame does for the palette. */
interface PaletteCommands {
  readonly onNewExperiment: () => void;
  readonly onNote: () => void;
  readonly onAssign: (experiment: string) => void;
  /** Opens the menu of stops, with the keyboard on one of them. */
  readonly onStop: (marked: OfferedStop | null) => void;
}

interface CommandPaletteProps {
  readonly commands: PaletteCommands;
  readonly onClose: () => void;
}

/** The pages of alarms that people look for by name. */
const alarmPages = [
  { page: 'rules', label: paletteWords.alarmRules, synonyms: paletteWords.alarmRulesSynonyms },
  { page: 'history', label: paletteWords.alarmHistory, synonyms: paletteWords.alarmHistorySynonyms },
  { page: 'notifications', label: commonWords.notifications, synonyms: paletteWords.notificationsSynonyms },
] as const satisfies readonly { readonly page: AlarmTab; readonly label: string; readonly synonyms: string }[];

/** The experiments that units are in. */
function useRunningExperiments(): readonly string[] {
  const { data: assignments } = useAssignments();
  return useMemo(() => [...new Set(assignments?.flatMap(({ experiment }) => experiment ?? []))], [assignments]);
}

const naturally = new Intl.Collator('en', { numeric: true });

/** Everything that the palette finds. */
function useItems({ onNewExperiment, onAssign, onNote, onStop }: PaletteCommands): readonly PaletteItem[] {
  const navigate = useNavigate();
  const may = useMay();
  const mayCreate = !may(leaderApi.createExperiment).disabled;
  const maySeeAudit = !may(leaderApi.listAudit).disabled;
  const { data: experiments = [] } = useExperiments();
  const { data: workers = [] } = useWorkers();
  const { data: assignments = [] } = useAssignments();
  const { data: descriptors = [] } = useJobDescriptors();
  const labels = useLabelsOfUnits();
  const jobs = useJobs();
  const mayStopAll = !may(leaderApi.stopEverywhere).disabled;
  const { unit, experiment: shown } = useParams({ strict: false });
  const running = useRunningExperiments();
  const concerned = useMemo(
    () => (shown === undefined || running.includes(shown) ? running : [shown, ...running]),
    [running, shown],
  );
  const mayIn = useMayIn(concerned);
  return useMemo((): readonly PaletteItem[] => {
    const experimentOf = new Map(assignments.map(({ reactor_unit, experiment }) => [reactor_unit, experiment]));
    const command = (label: string, hint: string, run: () => void): PaletteItem => ({
      id: `command ${label}`,
      group: 'commands',
      label,
      hint,
      run,
    });
    const mayStopShown = shown !== undefined && mayIn(leaderApi.stopWorkerJobsOfExperiment, shown);
    const stopCommand = (label: string, offered: OfferedStop): PaletteItem =>
      command(label, paletteWords.stopMenuHint, () => onStop(offered));
    const open = (target: JobTarget): void => {
      if (target.is === 'unit') {
        const { unit: of, job, act } = target;
        const state = act === undefined ? {} : { jobAct: act };
        void navigate({ to: '/units/$unit', params: { unit: of }, search: { tab: 'control', job }, state });
        return;
      }
      const { experiment, job } = target;
      void navigate({ to: '/experiments/$experiment/units', params: { experiment }, search: { start: job } });
    };
    return [
      ...(mayStopAll || mayStopShown
        ? [
            {
              ...command(commonWords.stopDialog, paletteWords.stopHint, () => onStop(null)),
              synonyms: paletteWords.stopSynonyms,
            },
          ]
        : []),
      ...(mayStopAll ? [stopCommand(stopsWords.stopAllPumps, 'pumps')] : []),
      ...(mayStopShown ? [stopCommand(commonWords.stopNamed(shown), 'experiment')] : []),
      ...(mayStopAll ? [stopCommand(stopsWords.stopEverything, 'everything')] : []),
      ...(mayCreate ? [command(commonWords.newExperiment, 'create', onNewExperiment)] : []),
      ...(concerned.length === 0 || concerned.some((experiment) => mayIn(leaderApi.createNote, experiment))
        ? [{ ...command(paletteWords.addNote, paletteWords.noteHint, onNote), synonyms: paletteWords.noteSynonyms }]
        : []),
      // That of the open page first.
      ...concerned
        .filter((experiment) => mayIn(leaderApi.assignWorker, experiment))
        .sort((one, other) => Number(other === shown) - Number(one === shown))
        .map((experiment) => ({
          ...command(paletteWords.assignUnitsTo(experiment), paletteWords.assignHint, () => onAssign(experiment)),
          synonyms: paletteWords.assignSynonyms,
        })),
      ...jobEntries({
        descriptors,
        assignments,
        unit,
        experiment: shown,
        jobs,
        nameOf: (of) => unitNameText(of, labels.get(of)),
        mayStart: (experiment) => mayIn(leaderApi.runWorkerJob, experiment),
        mayStop: (experiment) => mayIn(leaderApi.stopWorkerJob, experiment),
      }).map(
        ({ label, hint, otherName, target }): PaletteItem => ({
          id: `job ${label} ${hint}`,
          group: 'jobs',
          label,
          hint,
          ...(otherName !== undefined && { otherName }),
          run: () => open(target),
        }),
      ),
      ...entries.map(
        ({ to, label, synonyms }): PaletteItem => ({
          id: to,
          group: 'pages',
          label,
          synonyms,
          run: () => void navigate({ to }),
        }),
      ),
      ...alarmPages.map(
        ({ page, label, synonyms }): PaletteItem => ({
          id: `alarms ${page}`,
          group: 'pages',
          label,
          synonyms,
          run: () => void navigate({ to: '/alarms/$page', params: { page } }),
        }),
      ),
      ...(shown === undefined
        ? []
        : experimentTabs.map(
            ({ to, title, synonyms }): PaletteItem => ({
              id: to,
              group: 'pages',
              label: commonWords.partOfWhole(title, shown),
              synonyms,
              run: () => void navigate({ to, params: { experiment: shown } }),
            }),
          )),
      ...settingsPages
        .filter(({ needs }) => needs === undefined || maySeeAudit)
        .map(
          ({ to, label, synonyms }): PaletteItem => ({
            id: to,
            group: 'pages',
            label,
            synonyms,
            hint: commonWords.settings,
            run: () => void navigate({ to }),
          }),
        ),
      ...experiments.map(
        ({ experiment }): PaletteItem => ({
          id: `experiment ${experiment}`,
          group: 'experiments',
          label: experiment,
          run: () => void navigate({ to: '/experiments/$experiment', params: { experiment } }),
        }),
      ),
      // That of the open page first.
      ...[...experiments]
        .sort((one, other) => Number(other.experiment === shown) - Number(one.experiment === shown))
        .map(
          ({ experiment }): PaletteItem => ({
            id: `export ${experiment}`,
            group: 'exports',
            label: paletteWords.exportOf(experiment),
            synonyms: paletteWords.exportSynonyms,
            run: () => void navigate({ to: '/experiments/$experiment/data', params: { experiment } }),
          }),
        ),
      ...workers
        .map(({ reactor_unit }) => reactor_unit)
        .sort(naturally.compare)
        .map((unit): PaletteItem => {
          const experiment = experimentOf.get(unit) ?? null;
          const label = labels.get(unit);
          const hint = [label === undefined ? null : unit, experiment].filter((part) => part !== null).join(' · ');
          return {
            id: `unit ${unit}`,
            group: 'units',
            label: label ?? unit,
            otherName: unit,
            ...(hint !== '' && { hint }),
            run: () => void navigate({ to: '/units/$unit', params: { unit } }),
          };
        }),
      ...namedSettings.map(
        ({ id, label, section, find, synonyms }): PaletteItem => ({
          id: `setting ${id}`,
          group: 'settings',
          label,
          hint: section,
          synonyms,
          run: () => void navigate({ to: '/settings/configuration', search: { find } }),
        }),
      ),
    ];
  }, [
    onStop,
    onAssign,
    onNewExperiment,
    onNote,
    mayCreate,
    maySeeAudit,
    experiments,
    workers,
    assignments,
    descriptors,
    labels,
    jobs,
    mayStopAll,
    mayIn,
    concerned,
    navigate,
    unit,
    shown,
  ]);
}

/** Opens any page, experiment or unit, and starts the main commands. Loaded when it is first opened. */
export default function CommandPalette({ commands, onClose }: CommandPaletteProps) {
  return <Palette items={useItems(commands)} onClose={onClose} />;
}
