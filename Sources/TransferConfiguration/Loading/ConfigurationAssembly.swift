import TransferModel

/// The sections of all files brought together: what they say, and what is wrong with them.
///
/// `[transferd]` may stand once in each file, each key once in all of them; every other section stands in one place.
struct ConfigurationAssembly {
    private var general = SectionReader(GeneralSection(), name: "transferd", keys: GeneralSection.keys)
    private var origins: [OriginSettings] = []
    private var routes: [RouteSettings] = []
    /// Where the keys of each of ``routes`` stand.
    private var givenOfRoutes: [[String: ConfigurationPlace]] = []
    private var problems: [ConfigurationProblem] = []
    /// Where each section stands.
    private var seen: [String: ConfigurationPlace] = [:]
    private var matched: [OriginPattern: ConfigurationPlace] = [:]
    /// Whether something that could not be read may say where things stand.
    private var mayHidePlaces = false

    mutating func add(_ file: ConfigurationFile) {
        problems += file.problems
        mayHidePlaces = mayHidePlaces || file.hidesGeneral
        // `[transferd]` may stand in every file.
        seen["transferd"] = nil
        for section in file.sections {
            let place = ConfigurationPlace(file: file.path, line: section.header.line)
            let kind = SectionKind(rawValue: section.header.kind)
            if let kind, let objection = objection(to: section.header, kind) {
                report(place, section.header, objection)
            } else if let kind {
                seen[section.header.text] = place
                read(section, kind, place)
            } else {
                report(place, section.header, unknown(section.header))
            }
        }
    }

    private func objection(to header: SectionHeader, _ kind: SectionKind) -> String? {
        if let objection = kind.objection(to: header.name) { return objection }
        return seen[header.text].map {
            "section [\(header.text)] stands here a second time; the first is at \($0)"
        }
    }

    /// A file that can't be read.
    mutating func add(_ problem: ConfigurationProblem) { problems.append(problem) }

    /// The settings, or everything that is wrong.
    func settings(below state: FilePath?) throws(ConfigurationProblems) -> Settings {
        let (settings, problems) = read(below: state)
        if let problems { throw problems }
        return settings
    }

    /// Where things stand, and what is wrong, if anything; throws where that leaves in doubt which state directory is meant.
    func places(below state: FilePath?) throws(ConfigurationProblems) -> ConfiguredPlaces {
        let (settings, problems) = read(below: state)
        if let problems, !(state != nil || knowsStateDirectory) { throw problems }
        return ConfiguredPlaces(places: settings.places, problems: problems)
    }

    private var knowsStateDirectory: Bool {
        let known = GeneralSection.keys.map(\.name)
        let keys = general.problems.compactMap(\.key)
        guard !keys.contains("state_dir") else { return false }
        return general.given["state_dir"] != nil || !mayHidePlaces && keys.allSatisfy(known.contains)
    }

    private func read(below state: FilePath?) -> (Settings, ConfigurationProblems?) {
        let settings = Settings(
            places: general.section.places(below: state), general: general.section.general, origins: origins,
            routes: routes)
        let all = problems + general.problems + contradictions(settings) + strayTargets(settings)
        return (settings, all.isEmpty ? nil : ConfigurationProblems(Self.inOrder(all)))
    }

    /// What a route wishes against what its origin does, whichever stands first.
    private func contradictions(_ settings: Settings) -> [ConfigurationProblem] {
        zip(routes, givenOfRoutes).flatMap { route, given in
            let origin = route.url.origin
            let wishes = route.delivery.or(settings.settings(for: origin).delivery)
            return DeliveryRules.contradictions(in: wishes, scheme: origin.scheme)
                .compactMap { $0.problem(in: "route \(route.name)", given: given) }
        }
    }

    /// What is fetched into a directory that downloads may not be written to.
    private func strayTargets(_ settings: Settings) -> [ConfigurationProblem] {
        zip(routes, givenOfRoutes).compactMap { route, given in
            guard route.kind == .fetch, let place = given["directory"], let directory = route.poll.directory,
                let name = FileName("x"), route.target(of: name, in: settings.places) == nil
            else { return nil }
            let allowed = settings.places.downloadDirectories.map { "\($0)" }.joined(separator: ", ")
            return ConfigurationProblem(
                at: place, section: "route \(route.name)", key: "directory",
                "'\(directory)' is below none of the directories of download_dirs (\(allowed))")
        }
    }

    /// Files in the order they were read, lines in order.
    private static func inOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let files = problems.map(\.place.file).reduce(into: [FilePath]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return files.flatMap { file in
            problems.filter { $0.place.file == file }.sorted { $0.place.line < $1.place.line }
        }
    }

    private mutating func read(
        _ section: ConfigurationFile.Section, _ kind: SectionKind, _ place: ConfigurationPlace
    ) {
        switch kind {
        case .transferd: general.read(section.entries, in: place.file)
        case .origin: readOrigin(section, place)
        case .route: readRoute(section, place)
        }
    }

    private mutating func readOrigin(_ section: ConfigurationFile.Section, _ place: ConfigurationPlace) {
        var reader = SectionReader(
            OriginSettings(name: section.header.name), name: section.header.text, keys: OriginSettings.keys)
        reader.read(section.entries, in: place.file)
        OriginRules.check(&reader, at: place)
        for pattern in reader.section.matches {
            let here = reader.given["match"] ?? place
            if let first = matched[pattern] {
                reader.report(
                    here, "match", "a pattern of [\(section.header.text)] is taken already at \(first)")
            } else {
                matched[pattern] = here
            }
        }
        problems += reader.problems
        origins.append(reader.section)
    }

    private mutating func readRoute(_ section: ConfigurationFile.Section, _ place: ConfigurationPlace) {
        var reader = SectionReader(
            RouteSection(name: section.header.name), name: section.header.text, keys: RouteSection.keys)
        reader.read(section.entries, in: place.file)
        RouteRules.check(&reader, at: place)
        problems += reader.problems
        if let route = reader.section.route {
            routes.append(route)
            givenOfRoutes.append(reader.given)
        }
    }

    private func unknown(_ header: SectionHeader) -> String {
        let question = NearestName.question(header.kind, among: SectionKind.allCases.map(\.rawValue))
        let examples = SectionKind.allCases.map(\.example).joined(separator: ", ")
        return "expected one of \(examples), found [\(EscapedText.escape(header.text.utf8))]\(question)"
    }

    private mutating func report(_ place: ConfigurationPlace, _ header: SectionHeader, _ sentence: String) {
        problems.append(ConfigurationProblem(at: place, section: header.text, sentence))
    }
}
