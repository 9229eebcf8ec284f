export const growthCurve = `# Growth curve: a batch culture is stirred and kept warm while its optical density and growth rate are measured for two days.
#
# Adapt:    temperature_c, stir_rpm; slow_growth: the growth rate (1/h) below which the culture counts as stationary.
#           Times ("t") cannot be inputs: change the length in the four 'stop' actions.
# Needs:    no pumps. A blank and an OD calibration give optical densities in OD; without them compare shapes only.
# Measures: OD every 5 s, growth rate, temperature. The event log names the time at which growth slows down.
experiment_profile_name: growth curve
version: "1.0"
metadata:
  author: Leader Control Service
  description: A batch culture for two days, with a log entry when it becomes stationary.
inputs: {temperature_c: 37, stir_rpm: 500, slow_growth: 0.03}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
        - {type: stop, t: 48h}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
        - {type: stop, t: 48h}
    od_reading:
      actions:
        - {type: start, t: 1m}
        - {type: stop, t: 48h}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m} # its first readings define a normalised OD of 1
        - type: when # after the lag phase: the culture grows
          t: 1h
          wait_until: ::growth_rate_calculating:growth_rate.growth_rate > 2 * slow_growth
          actions:
            - {type: log, t: 0s, options: {message: "\${{ unit() }} grows."}}
            - type: when
              t: 1h
              wait_until: ::growth_rate_calculating:growth_rate.growth_rate < slow_growth
              actions:
                - type: log
                  t: 0s
                  options:
                    message: "\${{ unit() }} is stationary at \${{ ::growth_rate_calculating:od_filtered.od_filtered }} times its first density."
        - {type: stop, t: 48h}
`;
