// Runs one job with a client library for JavaScript and reports it line by line as JSON. Each case
// is asked twice at the same time, each time by a client of its own that sends the headers given.
//
// The job (argv[2], JSON) and the report are the same as those of every_surface.py:
// job:    {library, url, model, cases: [{surface, prompt, stream, headers: [{}, {}]}]}
// report: {case, caller, text, finish, error}: what the library made of the answer
//
// libraries/NAME.mjs: (url, headers, model) -> {surface: async (prompt, stream) -> {text, finish}}
const job = JSON.parse(process.argv[2]);
const { default: connect } = await import(`./libraries/${job.library}.mjs`);

async function ask({ surface, prompt, stream, headers }, number, caller) {
  const report = { case: number, caller, text: null, finish: null, error: null };
  try {
    const surfaces = connect(job.url, headers[caller], job.model);
    Object.assign(report, await surfaces[surface](prompt, stream));
  } catch (error) {
    report.error = `${error.constructor.name}: ${error.message}`;
  }
  process.stdout.write(JSON.stringify(report) + "\n");
}

await Promise.all(job.cases.flatMap((one, number) =>
  one.headers.map((_, caller) => ask(one, number, caller))));
