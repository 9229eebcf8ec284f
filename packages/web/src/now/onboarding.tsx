import { type Assignment, leaderApi } from '@lcs/contract';
import { Button, EmptyState } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useDialogs } from '../experiments/use-dialogs.tsx';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
import { useJoinRequests } from '../inventory/use-inventory.ts';
import { useExperiments } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { FlaskIcon, PlayIcon, PlusIcon, UnitIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { nowWords } from '../words/now.ts';
import type { NextStep } from './cluster-state.ts';

interface StepProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly description: string;
  readonly children: ReactNode;
}

/** What to do next, with one button. */
const Step = ({ icon, title, description, children }: StepProps) => (
  <EmptyState py={40} icon={icon} title={<h2 className="empty-title">{title}</h2>} description={description}>
    <EmptyState.Actions>{children}</EmptyState.Actions>
  </EmptyState>
);

function AddUnit() {
  const may = useMay();
  const mayDecide = !may(leaderApi.approveJoinRequest).disabled;
  const { data: requests = [] } = useJoinRequests(mayDecide);
  const found = requests.filter(({ is_approved }) => !is_approved).length;
  const title = found === 0 ? nowWords.addYourFirstUnit : nowWords.unitsFound(found);
  const description = found === 0 ? nowWords.addUnitHelp : nowWords.foundUnitsWait;
  return (
    <Step icon={<UnitIcon size={40} />} title={title} description={description}>
      <Button component={Link} to="/units" leftSection={<PlusIcon />}>
        {found === 0 ? commonWords.addUnit : nowWords.showFoundUnits}
      </Button>
    </Step>
  );
}

function CreateExperiment() {
  const may = useMay();
  const { rows } = useExperimentRows();
  const dialogs = useDialogs(rows);
  return (
    <Step icon={<FlaskIcon size={40} />} title={nowWords.createExperiment} description={nowWords.experimentHelp}>
      <Button
        leftSection={<PlusIcon />}
        onClick={() => dialogs.open({ kind: 'new', prefill: null })}
        {...may(leaderApi.createExperiment)}
      >
        {commonWords.newExperiment}
      </Button>
      {dialogs.element}
    </Step>
  );
}

function ToUnits({ experiment, children }: { readonly experiment: string; readonly children: ReactNode }) {
  return (
    <Button renderRoot={(props) => <Link to="/experiments/$experiment/units" params={{ experiment }} {...props} />}>
      {children}
    </Button>
  );
}

function AssignUnits() {
  const { data: [newest] = [] } = useExperiments();
  return (
    <Step icon={<UnitIcon size={40} />} title={commonWords.assignUnits} description={nowWords.assignHelp}>
      {newest !== undefined && (
        <ToUnits experiment={newest.experiment}>{commonWords.assignUnitsTo(newest.experiment)}</ToUnits>
      )}
    </Step>
  );
}

/** The overview, which offers the start of all that a culture needs. */
function ToOverview({ experiment, children }: { readonly experiment: string; readonly children: ReactNode }) {
  return (
    <Button renderRoot={(props) => <Link to="/experiments/$experiment/overview" params={{ experiment }} {...props} />}>
      {children}
    </Button>
  );
}

function StartJobs({ assignments }: { readonly assignments: readonly Assignment[] }) {
  const experiment = assignments.find((assignment) => assignment.experiment !== null)?.experiment ?? undefined;
  return (
    <Step icon={<PlayIcon size={40} />} title={nowWords.startJobs} description={nowWords.startJobsHelp}>
      {experiment !== undefined && <ToOverview experiment={experiment}>{nowWords.startJobsOf(experiment)}</ToOverview>}
    </Step>
  );
}

/** What a person has to do next before there is anything to watch. */
export function Onboarding({
  step,
  assignments,
}: {
  readonly step: NextStep;
  readonly assignments: readonly Assignment[];
}) {
  switch (step) {
    case 'add-unit':
      return <AddUnit />;
    case 'create-experiment':
      return <CreateExperiment />;
    case 'assign-units':
      return <AssignUnits />;
    case 'start-jobs':
      return <StartJobs assignments={assignments} />;
  }
}
