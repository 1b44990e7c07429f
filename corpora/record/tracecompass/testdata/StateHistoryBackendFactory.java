package org.eclipse.tracecompass.statesystem.core.backend;

import java.io.File;

public final class StateHistoryBackendFactory {
    private StateHistoryBackendFactory() {
    }

    public static IStateHistoryBackend createHistoryTreeBackendExistingFile(String id, File file, int version) {
        return new IStateHistoryBackend() {
        };
    }
}
