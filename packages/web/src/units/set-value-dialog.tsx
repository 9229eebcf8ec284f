import { type Json, type LiveJob, leaderApi } from '@lcs/contract';
import { biomassScales } from '@lcs/domain';
import { Alert, Select, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { UnitBoxes, withChosen } from '../assignments/unit-boxes.tsx';
import { SettingForm } from '../jobs/adjust-setting.tsx';
import { scaleOfTarget } from '../jobs/biomass-choices.ts';
import type { Confirmation } from '../jobs/job-control.ts';
import { jobOf } from '../jobs/job-phase.ts';
import { ConfirmDilutionAlert, isUnconfirmed } from '../jobs/start-refusals.tsx';
import { reasonOf } from '../jobs/use-job-control.ts';
import { useSettingConsequences } from '../jobs/use-setting-consequences.ts';
import { oneAtATime } from '../services/one-at-a-time.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { isSameAct } from '../services/use-mutation.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { Dialog } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import type { SharedSetting } from './matrix-cells.ts';

interface SetValueDialogProps {
  readonly experiment: string;
  /** How many units are selected. */
  readonly selected: number;
  readonly settings: readonly SharedSetting[];
  readonly jobs: readonly LiveJob[];
  readonly nameOf: (unit: string) => string;
  readonly onClose: () => void;
}

const keyOf = ({ job, setting }: SharedSetting): string => `${job} ${setting.key}`;

/** The scales of a target on the units that run its job; null: not known. None: the setting is no density. */
function scalesOf({ job, setting, units }: SharedSetting, jobs: readonly LiveJob[], experiment: string) {
  const scales = units.flatMap((unit) => {
    const settings = jobOf(jobs, unit, experiment, job)?.settings;
    const scale = settings && scaleOfTarget(setting.key, settings);
    return scale === undefined ? [] : [scale];
  });
  return [...new Set(scales)];
}

/** The value that the setting has on all units; null: it differs. */
function commonValue({ job, setting, units }: SharedSetting, jobs: readonly LiveJob[], experiment: string): Json {
  const values = units.map((unit) => jobOf(jobs, unit, experiment, job)?.settings[setting.key] ?? null);
  return new Set(values.map((value) => JSON.stringify(value))).size === 1 ? (values[0] ?? null) : null;
}

const none: readonly string[] = [];

/** What a new value means on each unit; see `useSettingConsequences`. */
function useConsequences(
  shared: SharedSetting | undefined,
  given: Pick<SetValueDialogProps, 'jobs' | 'experiment' | 'nameOf'>,
) {
  const joined = shared?.units.join(' ') ?? '';
  // The list is made anew with each change of the jobs.
  const units = useMemo(() => (joined === '' ? none : joined.split(' ')), [joined]);
  return useSettingConsequences({ ...given, units, job: shared?.job ?? '', key: shared?.setting.key ?? '' });
}

/** Sets one value on all selected units that run its job. */
export function SetValueDialog({ experiment, selected, settings, jobs, nameOf, onClose }: SetValueDialogProps) {
  const { leader } = useServices();
  const may = useMay();
  const [key, setKey] = useState(settings[0] === undefined ? '' : keyOf(settings[0]));
  const [sent, setSent] = useState<Json>(null);
  // The form stays open while the units answer: a double click is one change.
  const [once] = useState(() => oneAtATime<unknown, void>(isSameAct));
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const ofKey = settings.find((each) => keyOf(each) === key);
  const shared = ofKey && { ...ofKey, units: ofKey.units.filter((unit) => !leftOut.has(unit)) };
  const { command, sendSteps, dismiss } = useUnitCommand(null, nameOf);
  const meaning = useConsequences(shared, { jobs, experiment, nameOf });
  if (shared === undefined || ofKey === undefined) {
    return (
      <Dialog isOpen onClose={onClose} title={unitsWords.setValue}>
        <Text size="sm">{unitsWords.noValueToSet}</Text>
      </Dialog>
    );
  }
  const scales = scalesOf(shared, jobs, experiment);
  const scaleTexts = scales.map((scale) => (scale === null ? commonWords.notKnown : biomassScales[scale].label));
  const [scale] = scales;
  const { setting, units, job } = shared;
  const unconfirmed = command.phase === 'failed' ? command.refusals.filter(isUnconfirmed) : [];
  const change = (value: Json, addressed: readonly string[], confirmed?: Confirmation): void => {
    setSent(value);
    const settingsToSend = { [setting.key]: typeof value === 'object' ? JSON.stringify(value) : value };
    const request = () =>
      leader.updateWorkerJob({
        params: { reactor_unit: broadcast, job, experiment },
        query: { units: addressed.join(',') },
        body: { settings: settingsToSend, confirm_dilution: confirmed !== undefined },
        ...reasonOf(confirmed),
      });
    const what = unitsWords.setNamed(setting.label ?? setting.key);
    void once([key, value, addressed, confirmed ?? null], () =>
      sendSteps(what, [{ units: addressed, request }], onClose),
    );
  };
  const refused = may(leaderApi.updateWorkerJob);
  return (
    // What was refused is still typed.
    <Dialog
      isOpen
      onClose={onClose}
      isDirty={sent !== null && command.phase !== 'pending'}
      title={unitsWords.setValueOn(units.length)}
    >
      <Stack gap="sm">
        <Select
          label={unitsWords.value}
          data={settings.map((each) => ({
            value: keyOf(each),
            label: `${each.jobTitle}: ${each.setting.label ?? each.setting.key}`,
          }))}
          value={key}
          allowDeselect={false}
          onChange={(next) => {
            dismiss();
            setSent(null);
            setKey(next ?? key);
          }}
          withScrollArea={false}
          comboboxProps={{ withinPortal: false }}
        />
        {ofKey.units.length < selected && (
          <Text size="sm" c="dimmed">
            {unitsWords.runsOnSome(shared.jobTitle, ofKey.units.length, selected)}
          </Text>
        )}
        {ofKey.units.length > 1 && (
          <UnitBoxes
            title={commonWords.units}
            list={ofKey.units.map((unit) => ({ unit }))}
            nameOf={nameOf}
            chosen={new Set(units)}
            onChoose={(some, isChosen) => {
              // What was refused is not to be confirmed for other units.
              dismiss();
              setLeftOut(withChosen(leftOut, some, !isChosen));
            }}
          />
        )}
        {scales.length > 1 ? (
          <Alert color="orange" variant="light" icon={<WarningIcon />}>
            {unitsWords.scalesDiffer(scaleTexts.join(', '))}
          </Alert>
        ) : refused.disabled ? (
          <Text size="sm">{refused.title}</Text>
        ) : (
          <SettingForm
            key={key}
            setting={
              scale === undefined ? setting : { ...setting, unit: scale === null ? null : biomassScales[scale].unit }
            }
            value={commonValue(shared, jobs, experiment)}
            {...meaning}
            version={JSON.stringify(
              ofKey.units.map((unit) => jobOf(jobs, unit, experiment, job)?.settings[setting.key]),
            )}
            onAdjust={(value) => change(value, units)}
            isReady={units.length > 0}
            onClose={() => {}}
            onCancel={onClose}
          />
        )}
        {unconfirmed.length > 0 ? (
          <ConfirmDilutionAlert
            action="change"
            refusals={unconfirmed}
            onConfirm={(confirmed) =>
              change(
                sent,
                unconfirmed.flatMap(({ unitId }) => unitId ?? []),
                confirmed,
              )
            }
          />
        ) : (
          command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />
        )}
      </Stack>
    </Dialog>
  );
}
