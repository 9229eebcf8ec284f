import { leaderApi, type ProfileItemKey, type ProfileRunDetails } from '@lcs/contract';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { PauseIcon, PlayIcon, StopIcon, WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { unitsOfRun } from './run-state.ts';
import type { RunControl, useRunControl } from './use-run.ts';

interface ControlsProps {
  readonly run: ProfileRunDetails;
  readonly control: ReturnType<typeof useRunControl>;
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly isDangerous: boolean;
  /** Below the text. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks before a control of a run takes effect. */
export function ConfirmControl({ title, text, action, isDangerous, children, onClose, onConfirm }: ConfirmProps) {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        {children}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button
            {...(isDangerous && { color: 'red.9' })}
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            {action}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

function ConfirmStop({ run, ...acts }: Pick<ControlsProps, 'run'> & Pick<ConfirmProps, 'onClose' | 'onConfirm'>) {
  const nameOf = useUnitNames();
  return (
    <ConfirmControl
      title={protocolsWords.stopThisRun}
      text={protocolsWords.stopRunConsequence(unitsOfRun(run).map(nameOf).join(', ') || protocolsWords.noUnits)}
      action={protocolsWords.stopRun}
      isDangerous
      {...acts}
    />
  );
}

/** Pause, resume and stop. */
export function RunControls({ run, control }: ControlsProps) {
  const [isStopping, setStopping] = useState(false);
  const may = useMay();
  if (run.outcome !== null) return null;
  const pending = control.isPending ? control.variables.kind : undefined;
  const request = (kind: 'pause' | 'resume' | 'stop') => control.mutate({ kind });
  return (
    <Group gap="xs">
      {run.is_paused ? (
        <Button
          size="xs"
          leftSection={<PlayIcon size={14} />}
          loading={pending === 'resume'}
          onClick={() => request('resume')}
          {...may(leaderApi.resumeProfileRun)}
        >
          {commonWords.resume}
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          leftSection={<PauseIcon size={14} />}
          loading={pending === 'pause'}
          onClick={() => request('pause')}
          {...may(leaderApi.pauseProfileRun)}
        >
          {commonWords.pause}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<StopIcon size={14} />}
        loading={pending === 'stop'}
        onClick={() => setStopping(true)}
        {...may(leaderApi.stopProfileRun)}
      >
        {commonWords.stopDialog}
      </Button>
      {isStopping && <ConfirmStop run={run} onClose={() => setStopping(false)} onConfirm={() => request('stop')} />}
    </Group>
  );
}

const isSame = (one: ProfileItemKey, other: ProfileItemKey): boolean =>
  one.reactor_unit === other.reactor_unit && one.path === other.path && one.iteration === other.iteration;

/** What a pause means, and the missed action about which the run asks. */
export function RunNotices({
  run,
  control,
  textOf,
}: ControlsProps & { readonly textOf: (item: ProfileRunDetails['waiting'][number]) => string }) {
  const may = useMay();
  const { asks_about: missed } = run;
  const request = (wanted: RunControl) => control.mutate(wanted);
  const waiting = missed === null ? undefined : run.waiting.find((item) => isSame(item, missed));
  return (
    <>
      {control.error && <ProblemAlert error={control.error} />}
      {run.is_paused && missed === null && (
        <Alert color="blue" variant="light" icon={<PauseIcon />} title={commonWords.paused}>
          <Text size="sm">{protocolsWords.pauseConsequence}</Text>
        </Alert>
      )}
      {missed !== null && (
        <Alert color="blue" variant="light" icon={<WarningIcon />} title={protocolsWords.actionWasMissed}>
          <Text size="sm">
            {protocolsWords.missedAction(
              missed.reactor_unit,
              waiting === undefined ? protocolsWords.aStep : `“${textOf(waiting)}”`,
            )}
          </Text>
          <Group gap="xs" mt="xs">
            <Button size="xs" onClick={() => request({ kind: 'resume' })} {...may(leaderApi.resumeProfileRun)}>
              {protocolsWords.carryItOutNow}
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => request({ kind: 'skip', to: missed })}
              {...may(leaderApi.skipProfileItem)}
            >
              {protocolsWords.leaveItOut}
            </Button>
          </Group>
        </Alert>
      )}
    </>
  );
}
