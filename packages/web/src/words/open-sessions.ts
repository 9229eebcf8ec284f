export const openSessionsWords = {
  // Open sessions list
  calibrationsThatWaitForYou: 'Calibrations that wait for you',
  calibrationsThatAreRunning: 'Calibrations that are running',
  openCalibrations: 'Open calibrations',
  isHalfDone: (unit: string, procedure: string) => `${unit}: ${procedure} is half done and waits for you.`,
  asks: (unit: string, procedure: string, question: string) => `${unit}: ${procedure} waits for an answer: ${question}`,
  measures: (unit: string, procedure: string, percent: number) => `${unit}: ${procedure} measures, ${percent} %.`,
  aCalibration: 'a calibration',
  calibrationOf: (unit: string) => ` the calibration of ${unit}`,
  discard: 'Discard…',

  // Question before a session is cancelled
  cancelThisProcedure: 'Cancel this procedure?',
  discardHalfDone: 'Discard the half-done calibration?',
  discardIt: 'Discard',
  cancelConsequence: 'All outputs are switched off at once. The measurements of this procedure are lost.',
  goOnWithIt: 'Go on with it',
  cancelProcedure: 'Cancel the procedure',
} as const;
